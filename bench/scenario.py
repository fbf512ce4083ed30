"""What a scenario is, and how far a run of some is: one line for each round, with the time so far and about that of the whole run.

What a scenario takes is foreseen from its rounds and their seconds; what the machine makes of that is learnt on the way.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

WARM_UP_SECONDS = 1


class Expected(msgspec.Struct, frozen=True):
    """Seconds of a scenario: for preparing it, for what each round has around it, and sides that are loaded in each."""

    fixed: float
    per_round: float = 0
    sides: int = 0

    def seconds(self, rounds: int, seconds: float) -> float:
        return self.fixed + rounds * (self.per_round + self.sides * (WARM_UP_SECONDS + seconds))


class Place(msgspec.Struct, frozen=True):
    """Where a scenario stands in the whole run: Unix seconds of its begin, and foreseen ones before, in and after it."""

    began: float
    before: float
    this: float
    after: float

    def foreseen(self, elapsed: float, share: float) -> float:
        """Of the whole run, when this share of the scenario is done: what is left takes as much longer as the rest did."""
        done = self.before + self.this * share
        left = self.this + self.after - self.this * share
        # At the beginning there is nothing to learn from.
        pace = elapsed / done if done > 0 and elapsed > 0 else 1.0
        return elapsed + left * pace


class Run(msgspec.Struct, frozen=True):
    """A scenario under way: how it is to be measured, and where in the whole run it stands."""

    name: str
    rounds: int
    seconds: int
    place: Place
    profile: bool = False

    def each(self, parts: Sequence[T]) -> Iterator[T]:
        """One part after the other, each announced on the error output."""
        for number, part in enumerate(parts, start=1):
            print(self.line(number, len(parts), time.time()), file=sys.stderr, flush=True)
            yield part

    def line(self, number: int, parts: int, now: float) -> str:
        elapsed = now - self.place.began
        whole = self.place.foreseen(elapsed, (number - 1) / parts)
        return f"[{_clock(elapsed)} of about {_clock(whole)}] {self.name}: round {number} of {parts}"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Scenario(msgspec.Struct, frozen=True):
    # From what its suite has opened to its figures.
    measure: Callable[[Any, Run], dict[str, Any]]
    expected: Expected = Expected(60)
    # Whether a whole run has it, or only one that names it.
    default: bool = True


class Suite(msgspec.Struct, frozen=True):
    """Scenarios by their names, and what is opened for all of them and takes so long."""

    opened: Callable[[], AbstractContextManager[Any]]
    scenarios: Mapping[str, Scenario]
    opening_seconds: float = 0


def places(expected: Sequence[float], began: float) -> list[Place]:
    """Of scenarios one after the other."""
    return [
        Place(began, sum(expected[:number]), seconds, sum(expected[number + 1 :]))
        for number, seconds in enumerate(expected)
    ]
