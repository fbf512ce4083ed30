"""Identifiers: a prefix that tells the kind, then a part that sorts by time of making."""

import os
import threading
import time

_lock = threading.Lock()
_last = 0
_random: list[str] = []

# Sorts after every identifier: where a list begins that has no cursor yet.
AFTER_ALL = "~"


def new_id(prefix: str) -> str:
    """`wo` → `wo_0006479f…`: 56 bits of microseconds, strictly growing within a process, then 56 random bits."""
    global _last  # noqa: PLW0603 (the clock may stand still between two calls; the identifiers must not)
    with _lock:
        _last = max(time.time_ns() // 1000, _last + 1)
        moment = _last
        if not _random:
            _random.extend(_draw())
        tail = _random.pop()
    return f"{prefix}_{moment:014x}{tail}"


def _draw() -> list[str]:
    """Random parts are drawn in lots: asking the kernel for each costs more than all the rest."""
    drawn = os.urandom(7 * 512).hex()
    return [drawn[i : i + 14] for i in range(0, len(drawn), 14)]
