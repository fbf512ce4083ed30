"""The scenarios that are made of requests: the service, its floor and, where there is one, a peer, over one database."""

import argparse
import asyncio
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
from tests.support.databases import fetch
from tests.support.waiting import NotReadyError

from bench import peer_processes, profiling, report
from bench.databases import tidy
from bench.likeness import require_alike
from bench.load import BrokenRunError, run_wrk, write_requests
from bench.processes import Server, fresh_server
from bench.progress import Expected
from bench.rounds import FLOOR, OURS, PEER, Contestant, Result, compare
from bench.scenario import Beside, Request, Scenario
from bench.tenants import Tenant, make_tenants

_USAGE_WRITTEN_SECONDS = 2
# Of PostgreSQL, tenants and processes, which all scenarios share; of one scenario around its rounds.
_OPENING_SECONDS, _AROUND_SECONDS = 16, 4
# Until a peer has compiled and prepared each statement on each connection, which it does when it first needs it.
_PEER_LEARNS_SECONDS = 3


class Bench(msgspec.Struct, frozen=True):
    """What is up and running, and how it is to be measured."""

    options: argparse.Namespace
    server: Server
    service_port: int
    service_pid: int
    # Port and process, where any scenario has a peer and it can be had.
    peer: tuple[int, int] | None
    tenants: list[Tenant]
    tenants_file: Path


def expected(scenario: Scenario, *, first: bool) -> Expected:
    return Expected(_AROUND_SECONDS + (_OPENING_SECONDS if first else 0), sides=3 if scenario.has_peer else 2)


def open_bench(options: argparse.Namespace, *, with_peer: bool, stack: ExitStack) -> Bench:
    server = stack.enter_context(fresh_server())
    tenants = asyncio.run(make_tenants(server.url))
    tenants_file = server.private_file("tenants.json", msgspec.json.encode(tenants))
    port, pid = stack.enter_context(server.service())
    peer = _open_peer(server, stack) if with_peer else None
    return Bench(options, server, port, pid, peer, tenants, tenants_file)


def _open_peer(server: Server, stack: ExitStack) -> tuple[int, int] | None:
    try:
        return stack.enter_context(peer_processes.running_web_app(server))
    except peer_processes.NoPeerError as error:
        print(f"no peer: {error}", flush=True)
        return None


async def _prepare(bench: Bench, scenario: Scenario) -> None:
    connection = await asyncpg.connect(bench.server.url)
    try:
        await scenario.prepare(connection, bench.tenants)
    finally:
        await connection.close()


def _calls_counted(bench: Bench) -> int:
    return int(fetch(bench.server.url, "SELECT coalesce(sum(total_calls), 0) FROM api_key_usage")[0][0])


def _run(bench: Bench, scenario: Scenario) -> Result:
    asyncio.run(_prepare(bench, scenario))
    tidy(bench.server.url)
    requests = scenario.requests(bench.tenants)
    file = _requests_file(bench, scenario.name, requests)
    counted_before = _calls_counted(bench)
    sides = {OURS: _asked(bench, file, bench.service_port, bench.service_pid)}
    with ExitStack() as stack:
        if isinstance(scenario.floor, Beside):
            beside = _requests_file(bench, f"{scenario.name}-beside", scenario.floor.requests(bench.tenants))
            sides[FLOOR] = _asked(bench, beside, bench.service_port, bench.service_pid)
        else:
            others = _others(bench, scenario, stack)
            require_alike(requests[0], bench.service_port, {side: port for side, (port, _) in others.items()})
            sides |= {side: _asked(bench, file, *where) for side, where in others.items()}
        if PEER in sides:
            sides[PEER].load(_PEER_LEARNS_SECONDS)
        options = bench.options
        result = compare(scenario.name, sides, rounds=options.rounds, seconds=options.seconds)
    _require_counted(bench, counted_before, result)
    if bench.options.profile:
        profiling.record(scenario.name, bench.service_pid, sides[OURS].load)
    return result


def _others(bench: Bench, scenario: Scenario, stack: ExitStack) -> dict[str, tuple[int, int]]:
    """Port and process of each other side."""
    floor = bench.server.beside("bench.floor", scenario.name, bench.server.url, bench.tenants_file)
    others = {FLOOR: stack.enter_context(floor)}
    if scenario.has_peer and bench.peer is not None:
        others[PEER] = bench.peer
    return others


def _requests_file(bench: Bench, name: str, requests: Sequence[Request]) -> Path:
    file = bench.server.private_file(f"{name}.requests")
    write_requests(requests, file)
    return file


def _asked(bench: Bench, requests_file: Path, port: int, pid: int) -> Contestant:
    """A process under these requests."""
    return Contestant(partial(run_wrk, port, requests_file), pid, bench.server.postgres_pid)


def _require_counted(bench: Bench, before: int, result: Result) -> None:
    """The service is only compared with everything on: each of its answers must show in the usage of some key."""
    time.sleep(_USAGE_WRITTEN_SECONDS)
    counted = _calls_counted(bench) - before
    if counted < result.answered:
        raise BrokenRunError(f"{result.answered} requests were answered, but only {counted} counted")


def run_all(bench: Bench, chosen: Sequence[Scenario]) -> tuple[dict[str, Any], bool]:
    """The figures by scenario, and whether all went well."""
    found, all_well = {}, True
    for scenario in chosen:
        try:
            result = _run(bench, scenario)
        except (BrokenRunError, NotReadyError) as error:
            all_well = False
            print(f"{scenario.name}: FAILED: {error}", flush=True)
        else:
            found[scenario.name] = report.shown(scenario.name, result)
    return found, all_well
