"""`python -m bench.memory [--minutes N]`: memory of API process and worker when ready, and after minutes of load.

Lists, single orders and creates by turns, with a webhook in each organization that takes what the worker delivers.
"""

import argparse
import asyncio
import sys
from itertools import chain
from typing import Any

from bench import progress
from bench.command_line import run
from bench.delivery.running import Stage, stage
from bench.delivery.tenants import TYPE
from bench.load import run_wrk, write_requests
from bench.progress import Expected
from bench.resident import resident_mib
from bench.scenarios import BY_NAME
from bench.tenants import make_tenants
from bench.webhooks import subscribe

EXPECTED = {"memory": Expected(60)}
# Until everything is loaded that a process loads once.
_WARM_SHARE = 0.1
_ASKED = ("list", "get", "create")


def memory(stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    tenants = asyncio.run(make_tenants(stage.server.url))
    file = stage.server.private_file("memory.requests")
    by_turns = zip(*(BY_NAME[name].requests(tenants) for name in _ASKED), strict=False)
    write_requests(list(chain.from_iterable(by_turns)), file)
    with stage.worker() as worker, stage.api() as (port, api_pid):
        for tenant in tenants:
            asyncio.run(subscribe(port, tenant, f"{stage.endpoint}/ok", [TYPE]))
        pids = {"api": api_pid, "worker": worker.pid}
        found = {name: {"ready_mib": resident_mib(pid)} for name, pid in pids.items()}
        requests, seconds = 0, options.minutes * 60
        parts = {"warm_mib": seconds * _WARM_SHARE, "after_mib": seconds * (1 - _WARM_SHARE)}
        for number, (when, part) in enumerate(parts.items(), start=1):
            progress.tell("memory", number, len(parts))
            requests += run_wrk(port, file, max(1, round(part))).requests
            for name, pid in pids.items():
                found[name][when] = resident_mib(pid)
    for one in found.values():
        one["grown_mib"] = one["after_mib"] - one["warm_mib"]
    return {"memory": {"minutes": options.minutes, "requests": requests, **found}}


SCENARIOS = {"memory": memory}

if __name__ == "__main__":
    minutes = {"type": float, "default": 0.5}
    sys.exit(run("bench.memory", SCENARIOS, lambda _options: stage(), minutes=minutes))
