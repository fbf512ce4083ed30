"""`python -m bench.cores [--processes N] [--rounds N] [--seconds N]`: `list` on one API process and on several that share a port."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from bench import processes, report
from bench.command_line import parse
from bench.load import find_wrk, run_wrk, write_requests
from bench.progress import Expected
from bench.rounds import FLOOR, OURS, Contestant, compare
from bench.scenarios import BY_NAME
from bench.tenants import make_tenants
from steward.wiring.schema import migrate

SCENARIOS = ("cores",)
EXPECTED = {"cores": Expected(20, sides=2)}


def _measure(options: argparse.Namespace, stack: ExitStack) -> dict[str, Any]:
    folder = stack.enter_context(processes.temporary_folder())
    url, postgres_pid = stack.enter_context(processes.fresh_postgres(folder))
    asyncio.run(migrate(url))
    requests_file = folder / "list.requests"
    requests_file.touch(mode=0o600)  # it holds keys
    write_requests(BY_NAME["list"].requests(asyncio.run(make_tenants(url))), requests_file)

    def side(count: int) -> Contestant:
        apis = processes.running_apis(folder, url, folder / f"api-{count}.log", count)
        port, pids = stack.enter_context(apis)
        return Contestant(partial(run_wrk, find_wrk(), port, requests_file), pids[0], postgres_pid, pids[1:])

    # One process stands for the floor of several.
    sides = {OURS: side(options.processes), FLOOR: side(1)}
    result = compare("cores", sides, rounds=options.rounds, seconds=options.seconds)
    return {
        "processes": options.processes,
        "many": round(result.ours.per_second),
        "one": round(result.floor.per_second),
        "ratio": round(result.ratio, 2),
        "many_spread": [round(rate) for rate in result.ours.spread],
        "one_spread": [round(rate) for rate in result.floor.spread],
        "many_cpu_us": round(result.ours.cpu_us, 1),
        "one_cpu_us": round(result.floor.cpu_us, 1),
    }


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cores", description="One API process, and several."
    )
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="scenario")
    parser.add_argument(
        "--processes", type=int, default=max(2, os.cpu_count() or 2), help="one for each core"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=3)
    options = parse(parser, words)
    with ExitStack() as stack:
        figures = {"cores": _measure(options, stack)}
    report.keep(figures, unwritten=options.unwritten)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
