"""All sides of a scenario by turns: what else happens on the machine then happens to each."""

import statistics
from collections.abc import Callable, Mapping, Sequence

import msgspec

from bench import cpu, progress
from bench.load import Sample

OURS, FLOOR, PEER = "ours", "floor", "peer"


class Contestant(msgspec.Struct, frozen=True):
    """One side of a scenario: how it is put under load for some seconds, and the processes that it costs, children included."""

    load: Callable[[int], Sample]
    pid: int
    postgres_pid: int
    more_pids: Sequence[int] = ()

    def cpu_seconds(self) -> tuple[float, float]:
        own = sum(map(cpu.seconds_of_family, (self.pid, *self.more_pids)))
        return own, cpu.seconds_of_family(self.postgres_pid)


class Round(msgspec.Struct, frozen=True):
    sample: Sample
    cpu_us: float
    postgres_us: float


class Figures(msgspec.Struct):
    """Medians over the rounds: requests per second, milliseconds, microseconds of CPU per request."""

    per_second: float
    spread: list[float]
    p50: float
    p95: float
    p99: float
    cpu_us: float
    postgres_us: float


class Result(msgspec.Struct, frozen=True):
    """Figures of each side by its name; there always are ours and what it is held against."""

    sides: dict[str, Figures]
    # Of everything that ours answered, the warm-up included.
    answered: int

    @property
    def ours(self) -> Figures:
        return self.sides[OURS]

    @property
    def floor(self) -> Figures:
        return self.sides[FLOOR]

    @property
    def peer(self) -> Figures | None:
        return self.sides.get(PEER)

    @property
    def ratio(self) -> float:
        return self.ours.per_second / self.floor.per_second

    @property
    def times_peer(self) -> float | None:
        return None if self.peer is None else self.ours.per_second / self.peer.per_second


def compare(name: str, sides: Mapping[str, Contestant], *, rounds: int, seconds: int) -> Result:
    measured: dict[str, list[Round]] = {side: [] for side in sides}
    answered = 0
    for number in range(1, rounds + 1):
        progress.tell(name, number, rounds)
        for side, contestant in sides.items():
            warm_up = contestant.load(progress.WARM_UP_SECONDS)
            measured[side].append(_measure(contestant, seconds))
            if side == OURS:
                answered += warm_up.requests + measured[side][-1].sample.requests
    return Result({side: _figures(its_rounds) for side, its_rounds in measured.items()}, answered)


def _measure(contestant: Contestant, seconds: int) -> Round:
    before = contestant.cpu_seconds()
    sample = contestant.load(seconds)
    after = contestant.cpu_seconds()
    own, postgres = ((end - begin) * 1e6 / sample.requests for begin, end in zip(before, after, strict=True))
    return Round(sample, own, postgres)


def _figures(rounds: Sequence[Round]) -> Figures:
    rates = [one.sample.per_second for one in rounds]

    def median(pick: Callable[[Round], float]) -> float:
        return statistics.median(pick(one) for one in rounds)

    return Figures(
        per_second=statistics.median(rates),
        spread=[min(rates), max(rates)],
        p50=median(lambda one: one.sample.p50 / 1000),
        p95=median(lambda one: one.sample.p95 / 1000),
        p99=median(lambda one: one.sample.p99 / 1000),
        cpu_us=median(lambda one: one.cpu_us),
        postgres_us=median(lambda one: one.postgres_us),
    )
