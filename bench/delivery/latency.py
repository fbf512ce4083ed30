"""Latency of deliveries: from the making of an event to its arrival at the receiver."""

import argparse
import asyncio
import time
from typing import Any

import httpx
from tests.support.databases import fetch

from bench import progress
from bench.delivery.running import Stage, stage
from bench.delivery.tenants import TYPE
from bench.tenants import make_founder
from bench.webhooks import subscribe
from steward.webhook_delivery.report import created_at_ms


async def _create(port: int, tenant: Any, per_second: int, seconds: float) -> set[str]:
    """Work orders at a steady pace; those that were answered 201."""
    committed: set[str] = set()
    headers = {"X-API-Key": tenant.keys[0]}
    limits = httpx.Limits(max_connections=32)
    base = f"http://127.0.0.1:{port}"

    async with httpx.AsyncClient(base_url=base, headers=headers, limits=limits, timeout=30) as client:

        async def one(at: float) -> None:
            await asyncio.sleep(max(0.0, at - time.monotonic()))
            answer = await client.post(f"/organizations/{tenant.id}/work-orders", json={"title": "Leak"})
            assert answer.status_code == 201, answer.text
            committed.add(answer.json()["data"]["id"])

        begin = time.monotonic()
        await asyncio.gather(*(one(begin + n / per_second) for n in range(int(per_second * seconds))))
    return committed


def _shares(values: list[float]) -> dict[str, float]:
    values = sorted(values)
    return {
        name: round(values[int(len(values) * share)] * 1000, 2)
        for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
    }


def _measure_latency(
    stage: Stage, port: int, tenant: Any, per_second: int, seconds: float
) -> dict[str, float]:
    stage.arrivals()
    committed = asyncio.run(_create(port, tenant, per_second, seconds))
    about = dict(fetch(stage.server.url, "SELECT id, about FROM events"))
    expected = len(committed)
    deadline = time.monotonic() + 30
    seen: dict[str, float] = {}
    while len(seen) < expected and time.monotonic() < deadline:
        for path, event, at in stage.arrivals():
            if path.startswith("/ok") and about.get(event) in committed:
                seen.setdefault(event, at)
        time.sleep(0.1)
    assert len(seen) == expected, f"{expected - len(seen)} did not arrive"
    return _shares([at - created_at_ms(event) / 1000 for event, at in seen.items()])


def latency(_stage: None, options: argparse.Namespace) -> dict[str, Any]:
    """From the making of an event, right before its commit, to arrival; 200 events a second."""
    runs = []
    with stage() as here, here.worker(), here.api() as (port, _):
        tenant = asyncio.run(make_founder(here.server.url))
        asyncio.run(subscribe(port, tenant, f"{here.endpoint}/ok", [TYPE]))
        _measure_latency(here, port, tenant, 200, 2)
        for number in range(1, options.rounds + 1):
            progress.tell("latency", number, options.rounds)
            runs.append(_measure_latency(here, port, tenant, 200, options.seconds))
    figures = {name: sorted(run[name] for run in runs)[len(runs) // 2] for name in ("p50", "p95", "p99")}
    return {"delivery_latency": {"ours": 200, **figures}}
