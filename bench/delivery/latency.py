"""Latency of deliveries: from the making of an event, right before its commit, to its arrival at the receiver; 200 events a second."""

import asyncio
import time
from typing import Any

import httpx
from tests.support.databases import fetch
from tests.support.waiting import wait_for

from bench.delivery.running import Stage, stage
from bench.delivery.tenants import TYPE
from bench.load import Caller, shares
from bench.rounds import medians
from bench.scenario import Expected, Run, Scenario, Suite
from bench.tenants import Tenant, make_founder
from steward.webhook_delivery.report import created_at_ms

_PER_SECOND = 200
_WARM_UP_SECONDS = 2


async def _create(port: int, tenant: Tenant, seconds: int) -> set[str]:
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
        await asyncio.gather(*(one(begin + n / _PER_SECOND) for n in range(_PER_SECOND * seconds)))
    return committed


def _measure(stage: Stage, port: int, tenant: Tenant, seconds: int) -> dict[str, float]:
    stage.arrivals()
    committed = asyncio.run(_create(port, tenant, seconds))
    about = dict(fetch(stage.server.url, "SELECT id, about FROM events"))
    seen: dict[str, float] = {}

    def all_arrived() -> bool:
        for event, at in stage.arrivals():
            if about.get(event) in committed:
                seen.setdefault(event, at)
        return len(seen) == len(committed)

    wait_for("the arrival of all events", all_arrived)
    took = [at - created_at_ms(event) / 1000 for event, at in seen.items()]
    return {name: microseconds / 1000 for name, microseconds in shares(took).items()}


def latency(stage: Stage, run: Run) -> dict[str, Any]:
    # Before the service runs, which would have to be notified of a new key.
    tenant = asyncio.run(make_founder(stage.server.url))
    with stage.worker(), stage.api() as (port, _):
        subscription = {"url": f"{stage.endpoint}/ok", "events": [TYPE]}
        Caller(port, {"X-API-Key": tenant.keys[0]}).make(
            f"/v2/organizations/{tenant.id}/webhooks", subscription
        )
        _measure(stage, port, tenant, _WARM_UP_SECONDS)
        found = [_measure(stage, port, tenant, run.seconds) for _ in run.each(range(run.rounds))]
    return {"ours": _PER_SECOND, **{name: round(value, 2) for name, value in medians(found).items()}}


SUITE = Suite(stage, {"latency": Scenario(latency, Expected(12, per_round=1, sides=1))})
