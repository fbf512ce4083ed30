"""`python -m bench.exports [--rows N]`: work orders as CSV and as NDJSON, rows a second and memory meanwhile."""

import argparse
import asyncio
import http.client
import statistics
import sys
import time
from typing import Any

from bench import cpu, progress
from bench.command_line import run
from bench.load import BrokenRunError
from bench.processes import Server, fresh_server
from bench.progress import Expected
from bench.resident import MemoryWatch
from bench.tenants import Tenant, make_founder, multiply_work_orders

EXPECTED = {"exports": Expected(10, per_round=6)}
_KINDS = {"csv": 1, "ndjson": 0}  # with how many lines of heading
_READ_BYTES = 65_536


def _export(port: int, tenant: Tenant, kind: str) -> int:
    """How many rows came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"X-API-Key": tenant.keys[0]}
    connection.request("GET", f"/organizations/{tenant.id}/work-orders.{kind}", headers=headers)
    answer = connection.getresponse()
    lines = 0
    while part := answer.read(_READ_BYTES):
        lines += part.count(b"\n")
    connection.close()
    if answer.status != 200:
        raise BrokenRunError(f"{kind}: {answer.status}")
    return lines - _KINDS[kind]


def _measure(port: int, pid: int, tenant: Tenant, kind: str, expected: int) -> dict[str, float]:
    memory, spent, began = MemoryWatch(pid), cpu.seconds_of(pid), time.monotonic()
    memory.start()
    rows = _export(port, tenant, kind)
    took = time.monotonic() - began
    memory.end()
    if rows != expected:
        raise BrokenRunError(f"{kind}: {rows} rows of {expected}")
    return {
        "rows_per_second": rows / took,
        "cpu_us_per_row": (cpu.seconds_of(pid) - spent) * 1e6 / rows,
        "grown_mib": memory.peak - memory.before,
    }


def exports(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    tenant = asyncio.run(make_founder(server.url, work_orders=1))
    asyncio.run(multiply_work_orders(server.url, [tenant], options.rows))
    rows = options.rows + 1
    found: dict[str, list[dict[str, float]]] = {kind: [] for kind in _KINDS}
    with server.api() as (port, pid):
        for number in range(options.rounds + 1):
            if number > 0:
                progress.tell("exports", number, options.rounds)
            for kind, rounds in found.items():
                rounds.append(_measure(port, pid, tenant, kind, rows))
    # The first loads what all share, and is no measure.
    medians = {
        kind: {name: round(statistics.median(one[name] for one in rounds[1:])) for name in rounds[0]}
        for kind, rounds in found.items()
    }
    return {"exports": {"rows": rows, **medians}}


SCENARIOS = {"exports": exports}

if __name__ == "__main__":
    rows = {"type": int, "default": 50_000}
    sys.exit(run("bench.exports", SCENARIOS, lambda _options: fresh_server(), rows=rows))
