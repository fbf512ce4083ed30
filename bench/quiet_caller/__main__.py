"""`python -m bench.quiet_caller [slow_clients] [neighbours_export] [neighbours_…]`; the figures go to bench/results/latest.json.

One caller asks for `/health/live`, for a list and for a new work order by turns, over one connection, first alone and then beside others:

* `slow_clients`: 10,000 connections from 40 addresses that send nothing, half a head or half a body, replaced as they are closed;
* `neighbours_export`: eight organizations that each export 20,000 work orders as CSV again and again;
* `neighbours_…`: one other organization with ten keys that sends as much of one kind (`noise.py`) as its limits allow, 16 at a time.

`ratio` is the list's median beside them as a multiple of its median alone; `ratios` has all of them, and the goal is 3 for medians and 5
for the slowest hundredth.
"""

import argparse
import asyncio
import http.client
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import psutil

from bench import processes, report
from bench.command_line import parse
from bench.quiet_caller.noise import NOISES, Neighbour
from bench.quiet_caller.noisy import Orders
from bench.tenants import Tenant, make_tenants, multiply_work_orders
from steward.wiring.schema import migrate

DEFAULT = False
_SLOW_CONNECTIONS = 10_000
_EXPORTING = 8
_EXPORTED_ROWS = 20_000
# What the Professional plan lets an organization have.
_NOISY_KEYS = 10


class Stage(NamedTuple):
    folder: Path
    url: str
    port: int
    api: psutil.Process
    tenants: list[Tenant]


def _ask(stage: Stage, seconds: float) -> dict[str, float]:
    """Milliseconds of each of both requests, and how many there were."""
    tenant = stage.tenants[-1]
    orders = f"/organizations/{tenant.id}/work-orders"
    asked = {"live": ("GET", "/health/live"), "list": ("GET", orders), "create": ("POST", orders)}
    took: dict[str, list[float]] = {name: [] for name in asked}
    connection = http.client.HTTPConnection("127.0.0.1", stage.port, timeout=30)
    end = time.monotonic() + seconds
    number = 0
    while not number or time.monotonic() < end:
        for name, (method, path) in asked.items():
            number += 1
            body = b'{"title": "Leak"}' if method == "POST" else None
            headers = {
                "X-API-Key": tenant.keys[number % len(tenant.keys)],
                "Content-Type": "application/json",
            }
            begun = time.perf_counter()
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            took[name].append((time.perf_counter() - begun) * 1000)
            if answer.status not in {200, 201}:
                raise RuntimeError(f"{path}: {answer.status}")
        time.sleep(0.02)
    connection.close()
    figures: dict[str, float] = {"requests": number}
    for name, times in took.items():
        figures[f"{name}_p50"] = round(statistics.median(times), 2)
        # Of one there are no quantiles: where the others are so loud, it is all that is known.
        figures[f"{name}_p99"] = round(statistics.quantiles([*times, max(times)], n=100)[98], 2)
    return figures


@contextmanager
def _slow_clients(stage: Stage) -> Iterator[None]:
    words = ["bench.quiet_caller.slow", str(stage.port), str(_SLOW_CONNECTIONS)]
    with processes.running(words, stage.folder / "slow.log") as slow:
        inside = psutil.Process(slow.pid)
        while len(stage.api.net_connections("tcp")) < _SLOW_CONNECTIONS * 0.9:
            if slow.poll() is not None or not inside.is_running():
                raise RuntimeError((stage.folder / "slow.log").read_text())
            time.sleep(0.5)
        yield


@contextmanager
def _exports(stage: Stage) -> Iterator[None]:
    with ExitStack() as running:
        for tenant in stage.tenants[:_EXPORTING]:
            words = ["bench.quiet_caller.exporting", str(stage.port), tenant.id, *tenant.keys]
            running.enter_context(processes.running(words, stage.folder / "exports.log"))
        time.sleep(2)
        yield
    if said := (stage.folder / "exports.log").read_text().strip():
        raise RuntimeError(said)


@contextmanager
def _noise(kind: str, stage: Stage) -> Iterator[None]:
    tenant = stage.tenants[0]
    noise = NOISES[kind](Neighbour(stage.port, tenant))
    orders = Orders(**msgspec.structs.asdict(noise), keys=tenant.keys[:_NOISY_KEYS])
    file, log = stage.folder / f"{kind}.json", stage.folder / f"{kind}.log"
    file.write_bytes(msgspec.json.encode(orders))
    with processes.running(["bench.quiet_caller.noisy", str(stage.port), str(file)], log):
        time.sleep(2)
        yield
    if said := log.read_text().strip():
        raise RuntimeError(said)


SCENARIOS: dict[str, Callable[[Stage], AbstractContextManager[None]]] = {
    "slow_clients": _slow_clients,
    "neighbours_export": _exports,
    **{f"neighbours_{kind}": partial(_noise, kind) for kind in NOISES},
}


def _measure(name: str, stage: Stage, seconds: float) -> dict[str, Any]:
    _ask(stage, 1)
    alone = _ask(stage, seconds)
    memory = stage.api.memory_info().rss
    with SCENARIOS[name](stage):
        beside = _ask(stage, seconds)
        grown = stage.api.memory_info().rss - memory
    figures = {
        "alone": alone,
        "beside": beside,
        "grown_mib": round(grown / 2**20, 1),
        "ratio": round(beside["list_p50"] / alone["list_p50"], 2),
        "ratios": {each: round(beside[each] / alone[each], 1) for each in alone if each != "requests"},
    }
    print(name, figures, flush=True)
    return figures


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.quiet_caller", description="One caller beside many."
    )
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []], metavar="scenario")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=10)
    options = parse(parser, words)
    with processes.temporary_folder() as folder, processes.fresh_postgres(folder) as (url, _):
        asyncio.run(migrate(url))
        tenants = asyncio.run(make_tenants(url))
        asyncio.run(multiply_work_orders(url, tenants[:_EXPORTING], _EXPORTED_ROWS))
        with processes.running_service(folder, url) as (port, pid):
            stage = Stage(folder, url, port, psutil.Process(pid), tenants)
            chosen = options.scenarios or SCENARIOS
            figures = {name: _measure(name, stage, max(options.seconds, 10)) for name in chosen}
    if not options.unwritten:
        print(f"written to {report.write_figures(figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
