"""`python -m bench.memory [--minutes N]`: memory of API process and worker when ready, and after minutes of load.

Lists, single orders and creates by turns, with a webhook in each organization that takes what the worker delivers.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain
from typing import Any

from bench import progress, report
from bench.command_line import parse
from bench.delivery import running
from bench.delivery.running import Stage
from bench.delivery.tenants import TYPE
from bench.load import find_wrk, run_wrk, write_requests
from bench.progress import Expected
from bench.resident import resident_mib
from bench.scenarios import BY_NAME
from bench.tenants import Tenant, make_tenants
from bench.webhooks import subscribe

EXPECTED = {"memory": Expected(60)}
# Until everything is loaded that a process loads once.
_WARM_SHARE = 0.1
_ASKED = ("list", "get", "create")


def _requests_file(stage: Stage, tenants: list[Tenant]) -> Any:
    file = stage.folder / "memory.requests"
    file.touch(mode=0o600)  # it holds keys
    by_turns = zip(*(BY_NAME[name].requests(tenants) for name in _ASKED), strict=False)
    write_requests(list(chain.from_iterable(by_turns)), file)
    return file


def _measure(options: argparse.Namespace, stack: ExitStack) -> dict[str, Any]:
    stage = stack.enter_context(running.stage())
    tenants = asyncio.run(make_tenants(stage.url))
    worker_pid = stack.enter_context(running.worker(stage))
    port, api_pid = stack.enter_context(running.api(stage))
    for tenant in tenants:
        asyncio.run(subscribe(port, tenant, f"{stage.endpoint}/ok", [TYPE]))
    file = _requests_file(stage, tenants)
    pids = {"api": api_pid, "worker": worker_pid}
    found: dict[str, dict[str, int]] = {name: {"ready_mib": resident_mib(pid)} for name, pid in pids.items()}
    seconds = options.minutes * 60
    requests = 0
    parts = {"warm_mib": seconds * _WARM_SHARE, "after_mib": seconds * (1 - _WARM_SHARE)}
    for number, (when, part) in enumerate(parts.items(), start=1):
        progress.tell("memory", number, len(parts))
        requests += run_wrk(find_wrk(), port, file, max(1, round(part))).requests
        for name, pid in pids.items():
            found[name][when] = resident_mib(pid)
    for one in found.values():
        one["grown_mib"] = one["after_mib"] - one["warm_mib"]
    return {"minutes": options.minutes, "requests": requests, **found}


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.memory", description="Memory after minutes of load."
    )
    parser.add_argument("--minutes", type=float, default=0.5)
    options = parse(parser, words)
    with ExitStack() as stack:
        figures = {"memory": _measure(options, stack)}
    report.keep(figures, unwritten=options.unwritten)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
