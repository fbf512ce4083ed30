"""Whole lists of work orders as files: how fast they come as CSV and as NDJSON, and what they take of memory meanwhile."""

import asyncio
from pathlib import Path
from typing import Any

from bench import cpu
from bench.load import BrokenRunError, Caller
from bench.processes import Server, fresh_server
from bench.rounds import medians
from bench.scenario import Expected, Run, Scenario, Suite
from bench.tenants import make_founder, multiply_work_orders

_ROWS = 50_001
_HEADING_LINES = {"csv": 1, "ndjson": 0}


def _memory_mib(pid: int, name: str) -> int:
    """VmRSS is what a process has now, VmHWM the most that it has had."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0]) // 1024


def _measure(port: int, pid: int, path: str, key: str) -> dict[str, float]:
    # What it has had at most begins anew.
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    memory, spent = _memory_mib(pid, "VmRSS"), cpu.seconds_of(pid)
    answer = Caller(port, {"X-API-Key": key}).ask("GET", path)
    rows = answer.body.count(b"\n") - _HEADING_LINES[path.rpartition(".")[2]]
    if rows != _ROWS:
        raise BrokenRunError(f"{path}: {rows} rows of {_ROWS}")
    return {
        "rows_per_second": rows * 1000 / answer.milliseconds,
        "cpu_us_per_row": (cpu.seconds_of(pid) - spent) * 1e6 / rows,
        "grown_mib": _memory_mib(pid, "VmHWM") - memory,
    }


def exports(server: Server, run: Run) -> dict[str, Any]:
    tenant = asyncio.run(make_founder(server.url, work_orders=1))
    asyncio.run(multiply_work_orders(server.url, [tenant], _ROWS - 1))
    found: dict[str, list[dict[str, float]]] = {kind: [] for kind in _HEADING_LINES}
    with server.api() as (port, pid):
        paths = {kind: f"/organizations/{tenant.id}/work-orders.{kind}" for kind in found}
        # The first loads what all share, and is no measure.
        for path in paths.values():
            _measure(port, pid, path, tenant.keys[0])
        for _ in run.each(range(run.rounds)):
            for kind, rounds in found.items():
                rounds.append(_measure(port, pid, paths[kind], tenant.keys[0]))
    figures = {
        kind: {name: round(value) for name, value in medians(rounds).items()}
        for kind, rounds in found.items()
    }
    return {"rows": _ROWS, **figures, "grown_mib": max(one["grown_mib"] for one in figures.values())}


SUITE = Suite(fresh_server, {"exports": Scenario(exports, Expected(10, per_round=6))})
