"""All sides of a scenario by turns: what else happens on the machine then happens to each."""

import statistics
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import asdict

from bench import cpu
from bench.load import Sample
from bench.scenario import WARM_UP_SECONDS, Run

OURS, FLOOR, PEER = "ours", "floor", "peer"


class Contestant(msgspec.Struct, frozen=True):
    """One side of a scenario: how it is put under load for some seconds, and the processes that it costs, children included."""

    load: Callable[[int], Sample]
    pids: Sequence[int]
    postgres_pid: int

    def cpu_seconds(self) -> tuple[float, float]:
        return sum(map(cpu.seconds_of_family, self.pids)), cpu.seconds_of_family(self.postgres_pid)


class Round(msgspec.Struct):
    """Requests per second, milliseconds, microseconds of CPU per request."""

    per_second: float
    p50: float
    p95: float
    p99: float
    cpu_us: float
    postgres_us: float


class Figures(Round):
    """Medians over the rounds."""

    spread: list[float]


class Result(msgspec.Struct, frozen=True):
    """Figures of each side by its name; there always are ours and what it is held against."""

    sides: dict[str, Figures]
    # Of everything that ours answered, the warm-up included.
    answered: int

    @property
    def ratio(self) -> float:
        return self.sides[OURS].per_second / self.sides[FLOOR].per_second

    @property
    def times_peer(self) -> float | None:
        return self.sides[OURS].per_second / self.sides[PEER].per_second if PEER in self.sides else None


def compare(run: Run, sides: Mapping[str, Contestant]) -> Result:
    measured: dict[str, list[Round]] = {side: [] for side in sides}
    answered = 0
    for _ in run.each(range(run.rounds)):
        for side, contestant in sides.items():
            warm_up = contestant.load(WARM_UP_SECONDS)
            before = contestant.cpu_seconds()
            sample = contestant.load(run.seconds)
            after = contestant.cpu_seconds()
            costs = [(end - begin) * 1e6 / sample.requests for begin, end in zip(before, after, strict=True)]
            latencies = [share / 1000 for share in (sample.p50, sample.p95, sample.p99)]
            measured[side].append(Round(sample.per_second, *latencies, *costs))
            if side == OURS:
                answered += warm_up.requests + sample.requests
    return Result({side: _figures(its_rounds) for side, its_rounds in measured.items()}, answered)


def _figures(rounds: Sequence[Round]) -> Figures:
    rates = [one.per_second for one in rounds]
    return Figures(**medians([asdict(one) for one in rounds]), spread=[min(rates), max(rates)])


def medians(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
