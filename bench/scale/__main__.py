"""`python -m bench.scale [--tenants N N] [--rows N N] [--rounds N] [--unwritten]`; bench/README.md explains the figures."""

import argparse
import asyncio
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import asyncpg

from bench import processes, report
from bench.command_line import parse
from bench.delivery import running
from bench.delivery.running import Stage
from bench.scale.measure import Side
from bench.scale.tenants import Size, fill
from steward.kit.runtime import clock
from steward.wiring.schema import migrate

# It takes many minutes: only when it is asked for by its name.
DEFAULT = False

GOAL = 1.2
# Of each tenant that is busy, where tenants are compared; and of all of them together.
_ORDERS_EACH = 1_000
_DEVICES = 20_000
_REQUESTS, _CREATES, _DELIVERIES, _SILENT = 600, 400, 4000, 5000
_IDLE_SECONDS = 20

Measure = Callable[[Side], dict[str, float]]
# With an API process for each side, without a worker.
_ASKED: dict[str, Measure] = {
    "list": lambda side: side.list_orders(_REQUESTS),
    "create": lambda side: side.create_orders(_CREATES),
    "connectivity": lambda side: side.connectivity(_SILENT),
}
_DELIVERED: dict[str, Measure] = {
    "deliver": lambda side: side.deliver(_DELIVERIES),
    "deliver_spread": lambda side: side.deliver_spread(_DELIVERIES),
}
# A claim takes many deliveries of a webhook at once. One for each of many webhooks has to cost more than that: it is shown, and
# not held against the goal.
_SHOWN = {"deliver_spread"}


async def _make(server: Stage, size: Size) -> Side:
    admin = await asyncpg.connect(server.url)
    await admin.execute(f"CREATE DATABASE {size.name}")
    await admin.close()
    url = server.url.replace("/steward?", f"/{size.name}?")
    await migrate(url)
    stage = Stage(server.folder, url, server.postgres_pid, server.receiver_port)
    busy, tenants = await fill(url, size, f"{stage.endpoint}/ok")
    return Side(size, stage, busy, tenants, clock.now())


def _rounds(sides: list[Side], measure: Measure, rounds: int) -> list[dict[str, float]]:
    """By turns, so that what else happens on the machine happens to both; medians."""
    found: list[list[dict[str, float]]] = [[] for _ in sides]
    for _ in range(rounds):
        for side, its in zip(sides, found, strict=True):
            its.append(measure(side))
    return [{name: statistics.median(one[name] for one in its) for name in its[0]} for its in found]


def _compare(sides: list[Side], options: argparse.Namespace) -> Iterator[tuple[str, list[dict[str, float]]]]:
    yield "idle", _rounds(sides, lambda side: side.idle(options.idle_seconds), 1 + options.rounds // 3)
    with ExitStack() as stack:
        for side in sides:
            side.port, side.api_pid = stack.enter_context(running.api(side.stage))
        for name, measure in _ASKED.items():
            _rounds(sides, measure, 1)  # for warming up
            yield name, _rounds(sides, measure, options.rounds)
    for name, measure in _DELIVERED.items():
        yield name, _rounds(sides, _with_worker(measure), options.rounds)


def _with_worker(measure: Measure) -> Measure:
    def measured(side: Side) -> dict[str, float]:
        with running.worker(side.stage):
            measure(side)  # for warming up
            return measure(side)

    return measured


def _figures(few: dict[str, float], many: dict[str, float]) -> dict[str, Any]:
    sides = [{name: round(value, 1) for name, value in side.items()} for side in (few, many)]
    return {"few": sides[0], "many": sides[1], "ratio": round(many["cost"] / few["cost"], 2)}


@contextmanager
def _server() -> Iterator[Stage]:
    with ExitStack() as stack:
        folder = stack.enter_context(processes.temporary_folder())
        url, pid = stack.enter_context(processes.fresh_postgres(folder))
        port = processes.any_free_port()
        words = ["bench.delivery.receiver", str(port)]
        stack.enter_context(processes.running(words, Path(folder) / "receiver.log"))
        processes.await_that(lambda: running.count(port) is not None, "the receiver answers")
        yield Stage(folder, url, pid, port)


def _read_options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale", description="What a tenant costs among many, and what a row costs."
    )
    parser.add_argument("--tenants", type=int, nargs=2, default=[10, 10_000])
    parser.add_argument(
        "--rows", type=int, nargs=2, default=[1_000, 1_000_000], help="work orders of one tenant"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--idle-seconds", type=float, default=_IDLE_SECONDS)
    return parse(parser, words)


def main(words: list[str]) -> int:
    options = _read_options(words)
    pairs = {
        "scale_tenants": [Size(tenants, _ORDERS_EACH, _DEVICES) for tenants in options.tenants],
        "scale_rows": [Size(1, rows, _DEVICES) for rows in options.rows],
    }
    figures: dict[str, Any] = {}
    for pair, sizes in pairs.items():
        with _server() as server:
            sides = [asyncio.run(_make(server, size)) for size in sizes]
            for name, (few, many) in _compare(sides, options):
                figures[f"{pair}_{name}"] = _figures(few, many)
                print(f"{pair}_{name:<16} {figures[f'{pair}_{name}']}", flush=True)
    if not options.unwritten:
        print(f"written to {report.write_figures(figures)}")
    held = [found["ratio"] for name, found in figures.items() if not name.endswith(tuple(_SHOWN))]
    return 0 if max(held) <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
