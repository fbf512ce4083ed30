"""What one quiet caller sees while other tenants keep the process busy.

It asks for `/health/live`, for a list and for a new work order by turns, over one connection, first alone and then beside others:

* `neighbours_export`: eight organizations that each export 20,000 work orders as CSV again and again;
* `neighbours_…`: one other organization with ten keys that sends as much of one kind (`noise.py`) as its limits allow, 16 at a time.

`ratio` is the list's median beside them as a multiple of its median alone; `ratios` has all of them, and the goal is 3 for medians and 5
for the slowest hundredth.
"""

import asyncio
import itertools
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import msgspec
import psutil

from bench.load import BrokenRunError, Caller
from bench.processes import Server, fresh_server, running
from bench.quiet_caller.noise import NOISES, Neighbour
from bench.quiet_caller.noisy import Orders
from bench.scenario import Run, Scenario, Suite
from bench.tenants import Tenant, make_tenants, multiply_work_orders

_LEAST_SECONDS = 10
_EXPORTING = 8
_EXPORTED_ROWS = 20_000


class Stage(NamedTuple):
    server: Server
    port: int
    api: psutil.Process
    tenants: list[Tenant]


def _ask(stage: Stage, seconds: float) -> dict[str, float]:
    """Milliseconds of each of both requests, and how many there were."""
    tenant = stage.tenants[-1]
    orders = f"/organizations/{tenant.id}/work-orders"
    asked = {
        "live": ("GET", "/health/live", None),
        "list": ("GET", orders, None),
        "create": ("POST", orders, b'{"title": "Leak"}'),
    }
    took: dict[str, list[float]] = {name: [] for name in asked}
    keys = itertools.cycle(tenant.keys)
    caller = Caller(stage.port, {})
    end = time.monotonic() + seconds
    while not took["live"] or time.monotonic() < end:
        for name, request in asked.items():
            took[name].append(caller.ask(*request, key=next(keys)).milliseconds)
        time.sleep(0.02)
    figures: dict[str, float] = {"requests": sum(map(len, took.values()))}
    for name, times in took.items():
        figures[f"{name}_p50"] = round(statistics.median(times), 2)
        # Of one there are no quantiles: where the others are so loud, it is all that is known.
        figures[f"{name}_p99"] = round(statistics.quantiles([*times, max(times)], n=100)[98], 2)
    return figures


class Neighbours(NamedTuple):
    """How many of them send requests of one kind again and again, with how many keys and how many at once."""

    kind: str
    tenants: int = 1
    # What the Professional plan lets an organization have.
    keys: int | None = 10
    connections: int = 16


_NEIGHBOURS = {
    "neighbours_export": Neighbours("exports", _EXPORTING, keys=None, connections=1),
    **{f"neighbours_{kind}": Neighbours(kind) for kind in NOISES},
}


@contextmanager
def _noise(stage: Stage, neighbours: Neighbours, tenant: Tenant) -> Iterator[None]:
    noise = NOISES[neighbours.kind](Neighbour(stage.port, tenant))
    keys = tenant.keys[: neighbours.keys]
    orders = Orders(**msgspec.structs.asdict(noise), keys=keys, connections=neighbours.connections)
    log = stage.server.folder / f"{tenant.id}.log"
    file = stage.server.private_file(f"{tenant.id}.json", msgspec.json.encode(orders))
    with running(log, "bench.quiet_caller.noisy", stage.port, file):
        time.sleep(2)
        yield
    if said := log.read_text().strip():
        raise BrokenRunError(said)


def _measure(stage: Stage, run: Run) -> dict[str, Any]:
    seconds = max(run.seconds, _LEAST_SECONDS)
    _ask(stage, 1)
    alone = _ask(stage, seconds)
    memory = stage.api.memory_info().rss
    neighbours = _NEIGHBOURS[run.name]
    with ExitStack() as stack:
        for tenant in stage.tenants[: neighbours.tenants]:
            stack.enter_context(_noise(stage, neighbours, tenant))
        beside = _ask(stage, seconds)
        grown = stage.api.memory_info().rss - memory
    return {
        "alone": alone,
        "beside": beside,
        "grown_mib": round(grown / 2**20, 1),
        "ratio": round(beside["list_p50"] / alone["list_p50"], 2),
        "ratios": {each: round(beside[each] / alone[each], 1) for each in alone if each != "requests"},
    }


@contextmanager
def _stage() -> Iterator[Stage]:
    with fresh_server() as server:
        tenants = asyncio.run(make_tenants(server.url))
        asyncio.run(multiply_work_orders(server.url, tenants[:_EXPORTING], _EXPORTED_ROWS))
        with server.service() as (port, pid):
            yield Stage(server, port, psutil.Process(pid), tenants)


SUITE = Suite(_stage, {name: Scenario(_measure, default=False) for name in _NEIGHBOURS})
