"""`python -m bench [scenario …] [--rounds N] [--seconds N] [--profile]`; bench/README.md explains the figures."""

import argparse
import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from pathlib import Path

import asyncpg
import msgspec

from bench import processes, profiling, report
from bench.likeness import UnlikeError, require_alike
from bench.load import BrokenRunError, NoLoadGeneratorError, Sample, find_wrk, run_wrk, write_requests
from bench.rounds import Contestant, Result, compare
from bench.scenario import Beside, Request, Scenario
from bench.scenarios import BY_NAME
from bench.tenants import Tenant, make_tenants
from steward.wiring.schema import migrate

_USAGE_WRITTEN_SECONDS = 2


class Bench(msgspec.Struct, frozen=True):
    """What is up and running, and how it is to be measured."""

    options: argparse.Namespace
    wrk: str
    folder: Path
    url: str
    postgres_pid: int
    service_port: int
    service_pid: int
    tenants: list[Tenant]
    tenants_file: Path


class Program(msgspec.Struct, frozen=True):
    """`python -m …`: scenarios with a tenants of their own."""

    module: str
    # None where it is one scenario as a whole, and called as its folder is.
    scenarios: tuple[str, ...] | None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.module.rpartition(".")[2],) if self.scenarios is None else self.scenarios

    def words(self, options: argparse.Namespace) -> list[str]:
        if self.scenarios is None:
            return [self.module]
        chosen = [name for name in self.scenarios if name in options.scenarios]
        return [self.module, *chosen, "--rounds", str(options.rounds), "--seconds", str(options.seconds)]


def _programs() -> list[Program]:
    """Every folder beside us that can be started."""
    modules = [f"bench.{file.parent.name}" for file in sorted(Path(__file__).parent.glob("*/__main__.py"))]
    named = [getattr(import_module(f"{module}.__main__"), "SCENARIOS", None) for module in modules]
    return [
        Program(module, None if names is None else tuple(names))
        for module, names in zip(modules, named, strict=True)
    ]


def _read_options(words: Sequence[str], programs: Sequence[Program]) -> argparse.Namespace:
    known = [*BY_NAME, *(name for program in programs for name in program.names)]
    parser = argparse.ArgumentParser(prog="python -m bench", description="The service beside its floors.")
    parser.add_argument(
        "scenarios", nargs="*", metavar="scenario", help=f"of {', '.join(known)}; all by default"
    )
    parser.add_argument("--rounds", type=int, default=5, help="of each side; 5 by default")
    parser.add_argument("--seconds", type=int, default=4, help="of each round; 4 by default")
    parser.add_argument("--profile", action="store_true", help="record our API process with py-spy, too")
    options = parser.parse_args(words)
    if unknown := set(options.scenarios) - set(known):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    if options.rounds < 1 or options.seconds < 1:
        parser.error("--rounds and --seconds must be at least 1")
    options.scenarios = list(dict.fromkeys(options.scenarios)) or known
    return options


def _open(options: argparse.Namespace, wrk: str, stack: ExitStack) -> Bench:
    folder = stack.enter_context(processes.temporary_folder())
    url, postgres_pid = stack.enter_context(processes.fresh_postgres(folder))
    asyncio.run(migrate(url))
    tenants = asyncio.run(make_tenants(url))
    tenants_file = folder / "tenants.json"
    tenants_file.touch(mode=0o600)  # it holds keys
    tenants_file.write_bytes(msgspec.json.encode(tenants))
    port, pid = stack.enter_context(processes.running_service(folder, url))
    return Bench(options, wrk, folder, url, postgres_pid, port, pid, tenants, tenants_file)


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
    requests_file = _requests_file(bench, scenario.name, requests)
    counted_before = asyncio.run(_calls_counted(bench))
    ours = _asked(bench, requests_file)
    if isinstance(scenario.floor, Beside):
        beside = _requests_file(bench, f"{scenario.name}-beside", scenario.floor.requests(bench.tenants))
        result = _compare(bench, ours, _asked(bench, beside))
    else:
        with processes.running_floor(scenario.name, bench.folder, bench.url, bench.tenants_file) as (
            port,
            pid,
        ):
            require_alike(requests[0], bench.service_port, port)
            load_floor = partial(run_wrk, bench.wrk, port, requests_file)
            result = _compare(bench, ours, Contestant(load_floor, pid, bench.postgres_pid))
    _require_counted(bench, counted_before, result)
    if bench.options.profile:
        _profile(bench, scenario, ours.load)
    return result


def _requests_file(bench: Bench, name: str, requests: Sequence[Request]) -> Path:
    file = bench.folder / f"{name}.requests"
    file.touch(mode=0o600)
    write_requests(requests, file)
    return file


def _asked(bench: Bench, requests_file: Path) -> Contestant:
    """The service under these requests."""
    load = partial(run_wrk, bench.wrk, bench.service_port, requests_file)
    return Contestant(load, bench.service_pid, bench.postgres_pid)


def _compare(bench: Bench, ours: Contestant, floor: Contestant) -> Result:
    return compare(ours, floor, rounds=bench.options.rounds, seconds=bench.options.seconds)


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


def _run_all(bench: Bench, chosen: Sequence[Scenario]) -> tuple[dict[str, Result], bool]:
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


def _run_ours(options: argparse.Namespace, wrk: str, chosen: Sequence[Scenario]) -> bool:
    with ExitStack() as stack:
        results, all_well = _run_all(_open(options, wrk, stack), chosen)
    if results:
        print(f"written to {report.write_latest(results)}")
    return all_well


def _run_programs(options: argparse.Namespace, programs: Sequence[Program]) -> bool:
    all_well = True
    for program in programs:
        if set(program.names) & set(options.scenarios):
            words = program.words(options)
            print(f"python -m {' '.join(words)}", flush=True)
            all_well &= subprocess.run([sys.executable, "-m", *words], check=False).returncode == 0
    return all_well


def main(words: Sequence[str]) -> int:
    programs = _programs()
    options = _read_options(words, programs)
    try:
        wrk = find_wrk()
    except NoLoadGeneratorError as error:
        print(error, file=sys.stderr)
        return 2
    # So that being told to stop also tidies up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    chosen = [BY_NAME[name] for name in options.scenarios if name in BY_NAME]
    all_well = _run_ours(options, wrk, chosen) if chosen else True
    return 0 if _run_programs(options, programs) and all_well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
