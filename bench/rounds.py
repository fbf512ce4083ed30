"""Ours and its floor by turns: what else happens on the machine then happens to both."""

import statistics
from collections.abc import Callable, Sequence

import msgspec

from bench import cpu
from bench.load import Sample

_WARM_UP_SECONDS = 1


class Contestant(msgspec.Struct, frozen=True):
    """One side of a scenario: how it is put under load for some seconds, and the processes that it costs."""

    load: Callable[[int], Sample]
    pid: int
    postgres_pid: int
    more_pids: Sequence[int] = ()

    def cpu_seconds(self) -> tuple[float, float]:
        own = sum(map(cpu.seconds_of, (self.pid, *self.more_pids)))
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


class Result(msgspec.Struct):
    ours: Figures
    floor: Figures
    # Of everything that ours answered, the warm-up included.
    answered: int

    @property
    def ratio(self) -> float:
        return self.ours.per_second / self.floor.per_second


def compare(ours: Contestant, floor: Contestant, *, rounds: int, seconds: int) -> Result:
    measured: tuple[list[Round], list[Round]] = ([], [])
    answered = 0
    for _ in range(rounds):
        for contestant, its_rounds in zip((ours, floor), measured, strict=True):
            warm_up = contestant.load(_WARM_UP_SECONDS)
            its_rounds.append(_measure(contestant, seconds))
            if contestant is ours:
                answered += warm_up.requests + its_rounds[-1].sample.requests
    return Result(_figures(measured[0]), _figures(measured[1]), answered)


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
