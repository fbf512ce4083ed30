"""`python -m bench.cores [--processes N]`: `list` on one API process and on several that share a port."""

import argparse
import asyncio
import os
import sys
from contextlib import ExitStack
from functools import partial
from typing import Any

from bench.command_line import run
from bench.load import run_wrk, write_requests
from bench.processes import Server, fresh_server
from bench.progress import Expected
from bench.rounds import FLOOR, OURS, Contestant, compare
from bench.scenarios import BY_NAME
from bench.tenants import make_tenants

EXPECTED = {"cores": Expected(20, sides=2)}


def cores(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    file = server.private_file("list.requests")
    write_requests(BY_NAME["list"].requests(asyncio.run(make_tenants(server.url))), file)
    with ExitStack() as stack:

        def side(count: int) -> Contestant:
            port, pids = stack.enter_context(server.apis(count))
            return Contestant(partial(run_wrk, port, file), pids[0], server.postgres_pid, pids[1:])

        # One process stands for the floor of several.
        sides = {OURS: side(options.processes), FLOOR: side(1)}
        result = compare("cores", sides, rounds=options.rounds, seconds=options.seconds)
    figures: dict[str, Any] = {"processes": options.processes, "ratio": round(result.ratio, 2)}
    for name, side_of in (("many", result.ours), ("one", result.floor)):
        figures[name] = round(side_of.per_second)
        figures[f"{name}_spread"] = [round(rate) for rate in side_of.spread]
        figures[f"{name}_cpu_us"] = round(side_of.cpu_us, 1)
    return {"cores": figures}


SCENARIOS = {"cores": cores}

if __name__ == "__main__":
    processes = {"type": int, "default": max(2, os.cpu_count() or 2), "help": "one for each core"}
    sys.exit(run("bench.cores", SCENARIOS, lambda _options: fresh_server(), processes=processes))
