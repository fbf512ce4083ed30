"""`python -m bench.exports [--rows N] [--rounds N]`: work orders as CSV and as NDJSON, rows a second and memory meanwhile."""

import argparse
import asyncio
import http.client
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from bench import cpu, processes, progress, report
from bench.command_line import parse
from bench.progress import Expected
from bench.resident import MemoryWatch
from bench.tenants import Tenant, make_founder, multiply_work_orders
from steward.wiring.schema import migrate

SCENARIOS = ("exports",)
EXPECTED = {"exports": Expected(10, per_round=6)}
_KINDS = {"csv": 1, "ndjson": 0}  # with how many lines of heading
_READ_BYTES = 65_536


class IncompleteError(Exception):
    """An export has other rows than there are."""


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
        raise IncompleteError(f"{kind}: {answer.status}")
    return lines - _KINDS[kind]


def _measure(options: argparse.Namespace, port: int, pid: int, tenant: Tenant) -> dict[str, Any]:
    found: dict[str, dict[str, list[float]]] = {
        kind: {"rows_per_second": [], "cpu_us_per_row": [], "grown_mib": []} for kind in _KINDS
    }
    for number in range(options.rounds + 1):
        if number > 0:
            progress.tell("exports", number, options.rounds)
        for kind, figures in found.items():
            memory, spent, began = MemoryWatch(pid), cpu.seconds_of(pid), time.monotonic()
            memory.start()
            rows = _export(port, tenant, kind)
            took = time.monotonic() - began
            memory.end()
            if rows != options.rows + 1:
                raise IncompleteError(f"{kind}: {rows} rows of {options.rows + 1}")
            # The first loads what all share, and is no measure.
            if number > 0:
                figures["rows_per_second"].append(rows / took)
                figures["cpu_us_per_row"].append((cpu.seconds_of(pid) - spent) * 1e6 / rows)
                figures["grown_mib"].append(memory.peak - memory.before)
    medians = {
        kind: {name: round(statistics.median(values)) for name, values in figures.items()}
        for kind, figures in found.items()
    }
    return {"rows": options.rows + 1, **medians}


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.exports", description="Whole lists as files.")
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="scenario")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=3, help="not used: an export takes what it takes")
    options = parse(parser, words)
    with processes.temporary_folder() as folder, processes.fresh_postgres(folder) as (url, _):
        asyncio.run(migrate(url))
        tenant = asyncio.run(make_founder(url, work_orders=1))
        asyncio.run(multiply_work_orders(url, [tenant], options.rows))
        with processes.running_api(folder, url, folder / "api.log") as (port, pid):
            figures = {"exports": _measure(options, port, pid, tenant)}
    report.keep(figures, unwritten=options.unwritten)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
