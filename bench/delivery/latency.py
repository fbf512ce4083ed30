"""Latency of deliveries: from the making of an event to its arrival at the receiver."""

import argparse
import asyncio
import time
from typing import Any

import asyncpg
import httpx

from bench import progress
from bench.delivery import running
from bench.delivery.running import Stage
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


async def _about(url: str) -> dict[str, str]:
    connection = await asyncpg.connect(url)
    rows = await connection.fetch("SELECT id, about FROM events")
    await connection.close()
    return {row[0]: row[1] for row in rows}


def _shares(values: list[float]) -> dict[str, float]:
    values = sorted(values)
    return {
        name: round(values[int(len(values) * share)] * 1000, 2)
        for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
    }


def _measure_latency(
    stage: Stage, port: int, tenant: Any, per_second: int, seconds: float
) -> dict[str, float]:
    running.arrivals(stage)
    committed = asyncio.run(_create(port, tenant, per_second, seconds))
    about = asyncio.run(_about(stage.url))
    expected = len(committed)
    deadline = time.monotonic() + 30
    seen: dict[str, float] = {}
    while len(seen) < expected and time.monotonic() < deadline:
        for path, event, at in running.arrivals(stage):
            if path.startswith("/ok") and about.get(event) in committed:
                seen.setdefault(event, at)
        time.sleep(0.1)
    assert len(seen) == expected, f"{expected - len(seen)} did not arrive"
    return _shares([at - created_at_ms(event) / 1000 for event, at in seen.items()])


def latency(options: argparse.Namespace) -> dict[str, Any]:
    """From the making of an event, right before its commit, to arrival; 200 events a second."""
    with running.stage() as stage:
        tenant = asyncio.run(make_founder(stage.url))
        with running.worker(stage), running.api(stage) as (port, _):
            asyncio.run(subscribe(port, tenant, f"{stage.endpoint}/ok", [TYPE]))
            _measure_latency(stage, port, tenant, 200, 2)
            runs = []
            for number in range(1, options.rounds + 1):
                progress.tell("latency", number, options.rounds)
                runs.append(_measure_latency(stage, port, tenant, 200, options.seconds))
    figures = {name: sorted(run[name] for run in runs)[len(runs) // 2] for name in ("p50", "p95", "p99")}
    print(f"latency at 200/s: {figures}", flush=True)
    return {"delivery_latency": {"ours": 200, **figures}}
