"""The scenarios that are made of requests: the service, its floor and, where there is one, a peer, over one database."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from tests.support.databases import fetch

from bench import peer_processes, profiling, report
from bench.databases import connected, tidy
from bench.likeness import require_alike
from bench.load import BrokenRunError, run_wrk, write_requests
from bench.processes import Server, fresh_server
from bench.rounds import FLOOR, OURS, PEER, Contestant, Result, compare
from bench.scenario import Expected, Run, Scenario, Suite
from bench.scenarios import COMPARISONS, Comparison, Floor, Requests
from bench.tenants import Tenant, make_tenants

_USAGE_WRITTEN_SECONDS = 2
# Until a peer has compiled and prepared each statement on each connection, which it does when it first needs it.
_PEER_LEARNS_SECONDS = 3


class Bench(msgspec.Struct, frozen=True):
    """What all of them share; the service and every other side are a port and a process."""

    server: Server
    service: tuple[int, int]
    tenants: list[Tenant]
    tenants_file: Path

    def contestant(self, requests: Requests, name: str, side: tuple[int, int]) -> Contestant:
        port, pid = side
        file = self.server.private_file(f"{name}.requests")
        write_requests(requests(self.tenants), file)
        return Contestant(partial(run_wrk, port, file), [pid], self.server.postgres_pid)


@contextmanager
def _open_bench() -> Iterator[Bench]:
    with fresh_server() as server:
        tenants = asyncio.run(make_tenants(server.url))
        tenants_file = server.private_file("tenants.json", msgspec.json.encode(tenants))
        with server.service() as service:
            yield Bench(server, service, tenants, tenants_file)


def _measure(bench: Bench, run: Run) -> dict[str, Any]:
    comparison = COMPARISONS[run.name]
    asyncio.run(_prepare(bench, comparison))
    tidy(bench.server.url)
    counted_before = _calls_counted(bench)
    sides = {OURS: bench.contestant(comparison.requests, run.name, bench.service)}
    with ExitStack() as stack:
        if isinstance(comparison.floor, Floor):
            others = _others(bench, run.name, comparison, stack)
            request, (service_port, _) = comparison.requests(bench.tenants)[0], bench.service
            require_alike(request, service_port, {side: port for side, (port, _) in others.items()})
            sides |= {
                side: bench.contestant(comparison.requests, run.name, where) for side, where in others.items()
            }
        else:
            sides[FLOOR] = bench.contestant(comparison.floor, f"{run.name}-beside", bench.service)
        if PEER in sides:
            sides[PEER].load(_PEER_LEARNS_SECONDS)
        result = compare(run, sides)
    _require_counted(bench, counted_before, result)
    if run.profile:
        profiling.record(run.name, bench.service[1], sides[OURS].load)
    return report.shown(run.name, result)


async def _prepare(bench: Bench, comparison: Comparison) -> None:
    if comparison.prepare is not None:
        async with connected(bench.server.url) as connection:
            await comparison.prepare(connection, bench.tenants)


def _others(bench: Bench, name: str, comparison: Comparison, stack: ExitStack) -> dict[str, tuple[int, int]]:
    """Port and process of each other side."""
    floor = bench.server.beside("bench.floor", name, bench.server.url, bench.tenants_file)
    others = {FLOOR: stack.enter_context(floor)}
    if comparison.has_peer:
        with peer_processes.said_when_missing():
            others[PEER] = stack.enter_context(peer_processes.running_web_app(bench.server))
    return others


def _calls_counted(bench: Bench) -> int:
    return int(fetch(bench.server.url, "SELECT coalesce(sum(total_calls), 0) FROM api_key_usage")[0][0])


def _require_counted(bench: Bench, before: int, result: Result) -> None:
    """The service is only compared with everything on: each of its answers must show in the usage of some key."""
    time.sleep(_USAGE_WRITTEN_SECONDS)
    counted = _calls_counted(bench) - before
    if counted < result.answered:
        raise BrokenRunError(f"{result.answered} requests were answered, but only {counted} counted")


SUITE = Suite(
    _open_bench,
    {
        name: Scenario(_measure, Expected(7, sides=3) if comparison.has_peer else Expected(4, sides=2))
        for name, comparison in COMPARISONS.items()
    },
    opening_seconds=16,
)
