"""How far a run is: one line for each round, with the time it took so far and the time it will take, about.

What a scenario takes is foreseen from its rounds and their seconds; what the machine makes of that is learnt on the way. A program
of its own learns from the environment where in the whole run it stands.
"""

import os
import sys
import time
from collections.abc import Mapping, Sequence

import msgspec

_VARIABLE = "BENCH_PROGRESS"
WARM_UP_SECONDS = 1


class Expected(msgspec.Struct, frozen=True):
    """Seconds of a scenario: for preparing it, for what each round has around it, and sides that are loaded in each."""

    fixed: float
    per_round: float = 0
    sides: int = 0

    def seconds(self, rounds: int, seconds: float) -> float:
        return self.fixed + rounds * (self.per_round + self.sides * (WARM_UP_SECONDS + seconds))


# What a program takes that doesn't say.
UNKNOWN = Expected(60)


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


def places(expected: Sequence[float], began: float) -> list[Place]:
    """Of scenarios one after the other."""
    return [
        Place(began, sum(expected[:number]), seconds, sum(expected[number + 1 :]))
        for number, seconds in enumerate(expected)
    ]


def line(place: Place | None, scenario: str, number: int, rounds: int, now: float) -> str:
    said = f"{scenario}: round {number} of {rounds}"
    if place is None:
        return said
    elapsed = now - place.began
    whole = place.foreseen(elapsed, (number - 1) / rounds)
    return f"[{_clock(elapsed)} of about {_clock(whole)}] {said}"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def environment(all_places: Mapping[str, Place]) -> dict[str, str]:
    """For a program whose scenarios stand there."""
    return {_VARIABLE: msgspec.json.encode(all_places).decode()}


def tell(scenario: str, number: int, rounds: int) -> None:
    found = msgspec.json.decode(os.environ.get(_VARIABLE, "{}"), type=dict[str, Place])
    print(line(found.get(scenario), scenario, number, rounds, time.time()), file=sys.stderr, flush=True)
