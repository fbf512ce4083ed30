"""Identifiers: a prefix for the kind, then a part that sorts by creation time."""

import os

from steward.kit.runtime import clock

_random: list[str] = []

# Sorts after every identifier: where a list begins that has no cursor yet.
AFTER_ALL = "~"


def new_id(prefix: str) -> str:
    """`wo` → `wo_0006479f…`: 56 bits of microseconds, strictly growing within a process, then 56 random bits."""
    return f"{prefix}_{clock.DATABASE.next_us():014x}{_tail()}"


def _tail() -> str:
    while True:
        try:
            return _random.pop()
        except IndexError:
            _random.extend(_draw())


def _draw() -> list[str]:
    """Random parts are drawn in lots: asking the kernel for each costs more than all the rest."""
    drawn = os.urandom(7 * 512).hex()
    return [drawn[i : i + 14] for i in range(0, len(drawn), 14)]
