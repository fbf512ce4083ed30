"""The scenarios that are made of requests: the service, its floor and, where there is one, a peer, over one database."""

import argparse
import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import asyncpg
import msgspec

from bench import peer_processes, processes, profiling, report
from bench.likeness import UnlikeError, require_alike
from bench.load import BrokenRunError, Sample, run_wrk, write_requests
from bench.progress import Expected
from bench.rounds import FLOOR, OURS, PEER, Contestant, Result, compare
from bench.scenario import Beside, Request, Scenario
from bench.tenants import Tenant, make_tenants
from steward.wiring.schema import migrate

_USAGE_WRITTEN_SECONDS = 2
# Of PostgreSQL, tenants and processes, which all scenarios share; of one scenario around its rounds.
_OPENING_SECONDS, _AROUND_SECONDS = 16, 4
# Until a peer has compiled and prepared each statement on each connection, which it does when it first needs it.
_PEER_LEARNS_SECONDS = 3


class Bench(msgspec.Struct, frozen=True):
    """What is up and running, and how it is to be measured."""

    options: argparse.Namespace
    wrk: str
    folder: Path
    url: str
    postgres_pid: int
    service_port: int
    service_pid: int
    # Port and process, where any scenario has a peer and it can be had.
    peer: tuple[int, int] | None
    tenants: list[Tenant]
    tenants_file: Path


def expected(scenario: Scenario, *, first: bool) -> Expected:
    return Expected(_AROUND_SECONDS + (_OPENING_SECONDS if first else 0), sides=3 if scenario.has_peer else 2)


def open_bench(options: argparse.Namespace, wrk: str, *, with_peer: bool, stack: ExitStack) -> Bench:
    folder = stack.enter_context(processes.temporary_folder())
    url, postgres_pid = stack.enter_context(processes.fresh_postgres(folder))
    asyncio.run(migrate(url))
    tenants = asyncio.run(make_tenants(url))
    tenants_file = folder / "tenants.json"
    tenants_file.touch(mode=0o600)  # it holds keys
    tenants_file.write_bytes(msgspec.json.encode(tenants))
    port, pid = stack.enter_context(processes.running_service(folder, url))
    peer = _open_peer(folder, url, stack) if with_peer else None
    return Bench(options, wrk, folder, url, postgres_pid, port, pid, peer, tenants, tenants_file)


def _open_peer(folder: Path, url: str, stack: ExitStack) -> tuple[int, int] | None:
    try:
        return stack.enter_context(peer_processes.running_web_app(folder, url))
    except peer_processes.NoPeerError as error:
        print(f"no peer: {error}", flush=True)
        return None


async def _prepare(bench: Bench, scenario: Scenario) -> None:
    connection = await asyncpg.connect(bench.url)
    try:
        await scenario.prepare(connection, bench.tenants)
        # What one scenario left behind must not be tidied up in the middle of the next.
        await connection.execute("VACUUM (ANALYZE)")
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()


async def _calls_counted(bench: Bench) -> int:
    connection = await asyncpg.connect(bench.url)
    try:
        return int(await connection.fetchval("SELECT coalesce(sum(total_calls), 0) FROM api_key_usage"))
    finally:
        await connection.close()


def _run(bench: Bench, scenario: Scenario) -> Result:
    asyncio.run(_prepare(bench, scenario))
    requests = scenario.requests(bench.tenants)
    file = _requests_file(bench, scenario.name, requests)
    counted_before = asyncio.run(_calls_counted(bench))
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
        _profile(bench, scenario, sides[OURS].load)
    return result


def _others(bench: Bench, scenario: Scenario, stack: ExitStack) -> dict[str, tuple[int, int]]:
    """Port and process of each other side."""
    floor = processes.running_floor(scenario.name, bench.folder, bench.url, bench.tenants_file)
    others = {FLOOR: stack.enter_context(floor)}
    if scenario.has_peer and bench.peer is not None:
        others[PEER] = bench.peer
    return others


def _requests_file(bench: Bench, name: str, requests: Sequence[Request]) -> Path:
    file = bench.folder / f"{name}.requests"
    file.touch(mode=0o600)
    write_requests(requests, file)
    return file


def _asked(bench: Bench, requests_file: Path, port: int, pid: int) -> Contestant:
    """A process under these requests."""
    return Contestant(partial(run_wrk, bench.wrk, port, requests_file), pid, bench.postgres_pid)


def _require_counted(bench: Bench, before: int, result: Result) -> None:
    """The service is only compared with everything on: each of its answers must show in the usage of some key."""
    time.sleep(_USAGE_WRITTEN_SECONDS)
    counted = asyncio.run(_calls_counted(bench)) - before
    if counted < result.answered:
        raise BrokenRunError(f"{result.answered} requests were answered, but only {counted} counted")


def _profile(bench: Bench, scenario: Scenario, load: Callable[[int], Sample]) -> None:
    profiler = profiling.find_profiler()
    if profiler is None:
        print("no profile: py-spy is not on the PATH (pip install py-spy, outside of this environment)")
        return
    report.RESULTS.mkdir(exist_ok=True)
    file = report.RESULTS / f"profile-{scenario.name}.txt"
    profiling.record(profiler, bench.service_pid, load, file)
    print(f"profile of {scenario.name}: {file}")


def run_all(bench: Bench, chosen: Sequence[Scenario]) -> tuple[dict[str, Result], bool]:
    results, all_well = {}, True
    print(report.heading(), flush=True)
    for scenario in chosen:
        try:
            result = _run(bench, scenario)
        except (BrokenRunError, UnlikeError, processes.NotReadyError) as error:
            all_well = False
            print(f"{scenario.name}: FAILED: {error}", flush=True)
        else:
            results[scenario.name] = result
            print(report.table_rows(scenario.name, result), flush=True)
    return results, all_well
