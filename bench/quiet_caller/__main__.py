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
from typing import Any, NamedTuple

import msgspec
import psutil
from tests.support.launching import output_of_running
from tests.support.waiting import wait_for

from bench.command_line import run
from bench.load import BrokenRunError
from bench.processes import Server, fresh_server, running
from bench.quiet_caller.noise import CONNECTIONS, NOISES, Neighbour
from bench.quiet_caller.noisy import Orders
from bench.tenants import Tenant, make_tenants, multiply_work_orders

DEFAULT = ()
_SLOW_CONNECTIONS = 10_000
_EXPORTING = 8
_EXPORTED_ROWS = 20_000
# What the Professional plan lets an organization have.
_NOISY_KEYS = 10


class Stage(NamedTuple):
    server: Server
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
                raise BrokenRunError(f"{path}: {answer.status}")
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
    log = stage.server.folder / "slow.log"
    with running(log, "bench.quiet_caller.slow", stage.port, _SLOW_CONNECTIONS) as slow:

        def held() -> bool:
            output_of_running(slow, log)
            return len(stage.api.net_connections("tcp")) >= _SLOW_CONNECTIONS * 0.9

        wait_for("slow connections", held)
        yield


@contextmanager
def _noise(stage: Stage, kind: str, tenant: Tenant, keys: int, connections: int) -> Iterator[None]:
    """Requests of one kind from one tenant, again and again."""
    noise = NOISES[kind](Neighbour(stage.port, tenant))
    orders = Orders(**msgspec.structs.asdict(noise), keys=tenant.keys[:keys], connections=connections)
    folder = stage.server.folder
    file, log = folder / f"{tenant.id}.json", folder / f"{tenant.id}.log"
    file.write_bytes(msgspec.json.encode(orders))
    with running(log, "bench.quiet_caller.noisy", stage.port, file):
        time.sleep(2)
        yield
    if said := log.read_text().strip():
        raise BrokenRunError(said)


@contextmanager
def _exports(stage: Stage) -> Iterator[None]:
    with ExitStack() as stack:
        for tenant in stage.tenants[:_EXPORTING]:
            stack.enter_context(_noise(stage, "exports", tenant, len(tenant.keys), 1))
        yield


def _one_neighbour(kind: str, stage: Stage) -> AbstractContextManager[None]:
    return _noise(stage, kind, stage.tenants[0], _NOISY_KEYS, CONNECTIONS)


_BESIDE: dict[str, Callable[[Stage], AbstractContextManager[None]]] = {
    "slow_clients": _slow_clients,
    "neighbours_export": _exports,
    **{f"neighbours_{kind}": partial(_one_neighbour, kind) for kind in NOISES},
}


def _measure(name: str, stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    seconds = max(options.seconds, 10)
    _ask(stage, 1)
    alone = _ask(stage, seconds)
    memory = stage.api.memory_info().rss
    with _BESIDE[name](stage):
        beside = _ask(stage, seconds)
        grown = stage.api.memory_info().rss - memory
    figures = {
        "alone": alone,
        "beside": beside,
        "grown_mib": round(grown / 2**20, 1),
        "ratio": round(beside["list_p50"] / alone["list_p50"], 2),
        "ratios": {each: round(beside[each] / alone[each], 1) for each in alone if each != "requests"},
    }
    return {name: figures}


SCENARIOS = {name: partial(_measure, name) for name in _BESIDE}


@contextmanager
def _stage() -> Iterator[Stage]:
    with fresh_server() as server:
        tenants = asyncio.run(make_tenants(server.url))
        asyncio.run(multiply_work_orders(server.url, tenants[:_EXPORTING], _EXPORTED_ROWS))
        with server.service() as (port, pid):
            yield Stage(server, port, psutil.Process(pid), tenants)


if __name__ == "__main__":
    sys.exit(run("bench.quiet_caller", SCENARIOS, lambda _options: _stage(), rounds=1, seconds=10))
