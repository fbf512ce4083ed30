"""What waiting costs, latency, and noisy neighbours; each returns what is written down, by name."""

import argparse
import asyncio
import statistics
import time
from typing import Any

import asyncpg
import httpx

from bench import cpu, progress
from bench.delivery import running
from bench.delivery.running import Stage
from bench.delivery.tenants import TENANTS, TYPE, WEBHOOKS_EACH, drop_waiting, make_tenants, queue
from bench.delivery.throughput import SETTLE_SECONDS
from bench.load import Sample
from bench.tenants import make_founder
from bench.webhooks import subscribe
from steward.webhook_delivery.report import created_at_ms

# CPU of the worker and of PostgreSQL per delivery, in microseconds, one pair per sample.
Costs = list[tuple[float, float]]


def waiting(options: argparse.Namespace) -> dict[str, Any]:
    """CPU per delivery while others wait: as many due ones, and behind them more and more that are not due yet, or are."""
    figures: dict[str, Any] = {}
    counts = [count for count in (1000, 10_000, 100_000, 1_000_000) if count <= options.most_waiting]
    for number, count in enumerate(counts, start=1):
        progress.tell("waiting", number, len(counts))
        costs: Costs = []
        with running.stage() as stage:
            tenants = asyncio.run(
                make_tenants(stage.url, running.KEY, f"{stage.endpoint}/ok", TENANTS, WEBHOOKS_EACH)
            )
            half = count // 2
            asyncio.run(queue(stage.url, tenants, half, each=WEBHOOKS_EACH, due_in_ms=3_600_000))
            held = asyncio.run(make_tenants(stage.url, running.KEY, f"{stage.endpoint}/hang", 1, 5))
            asyncio.run(queue(stage.url, held, half, each=5))
            asyncio.run(_vacuum(stage.url))
            with running.worker(stage):
                time.sleep(SETTLE_SECONDS)
                samples = [
                    _deliver_some(stage, tenants, options.seconds, costs) for _ in range(options.rounds)
                ]
        per_second = sorted(sample.per_second for sample in samples)[len(samples) // 2]
        own = statistics.median(cost for cost, _ in costs)
        postgres = statistics.median(cost for _, cost in costs)
        figures[f"deliver_{count}_waiting"] = {
            "ours": round(per_second),
            "cpu_us": round(own, 1),
            "postgres_us": round(postgres, 1),
        }
        print(
            f"{count:>9,} waiting: {per_second:,.0f}/s, {own:.0f} µs worker, {postgres:.0f} µs PostgreSQL",
            flush=True,
        )
    return figures


def _deliver_some(stage: Stage, tenants: list[str], seconds: float, costs: Costs) -> Sample:
    """A thousand a second: what waits behind them stays, so nothing is dropped afterwards."""
    wanted = int(seconds * 3000)
    # Some are delivered while the others are being queued; these count towards the end, and not towards the cost.
    enough = _ok(stage) + wanted * 0.98
    asyncio.run(queue(stage.url, tenants, wanted, each=WEBHOOKS_EACH))
    before = _ok(stage)
    own, postgres = cpu.seconds_of(stage.worker_pid), cpu.seconds_of_family(stage.postgres_pid)
    start = time.monotonic()
    while (reached := _ok(stage)) < enough:
        time.sleep(0.02)
    done = reached - before
    took = time.monotonic() - start
    own = cpu.seconds_of(stage.worker_pid) - own
    postgres = cpu.seconds_of_family(stage.postgres_pid) - postgres
    costs.append((own * 1e6 / done, postgres * 1e6 / done))
    time.sleep(0.5)
    return Sample(done, int(took * 1e6), 0, 0, 0, 0, 0)


def _ok(stage: Stage) -> int:
    return running.count(stage.receiver_port) or 0


async def _vacuum(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("VACUUM (ANALYZE)")
    await connection.execute("CHECKPOINT")
    await connection.close()


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


def neighbours(options: argparse.Namespace) -> dict[str, Any]:
    """Fifty healthy webhooks without and with one that hangs and one that always fails, both with events of their own."""
    with running.stage() as stage:
        tenant = asyncio.run(make_founder(stage.url))
        noisy = [
            asyncio.run(make_tenants(stage.url, running.KEY, f"{stage.endpoint}/{kind}", 1, 1))
            for kind in ("hang", "fail")
        ]
        with running.worker(stage), running.api(stage) as (port, _):
            for number in range(50):
                asyncio.run(subscribe(port, tenant, f"{stage.endpoint}/ok/{number}", [TYPE]))
            _measure_latency(stage, port, tenant, 10, 2)
            alone, beside = [], []
            for number in range(1, options.rounds + 1):
                progress.tell("neighbours", number, options.rounds)
                alone.append(_measure_latency(stage, port, tenant, 10, options.seconds))
                for tenants in noisy:
                    asyncio.run(queue(stage.url, tenants, 2000, each=1))
                time.sleep(1)
                beside.append(_measure_latency(stage, port, tenant, 10, options.seconds))
                asyncio.run(drop_waiting(stage.url))
    p99 = [sorted(run["p99"] for run in runs)[len(runs) // 2] for runs in (alone, beside)]
    p50 = [sorted(run["p50"] for run in runs)[len(runs) // 2] for runs in (alone, beside)]
    print(f"neighbours: p99 {p99[0]} ms alone, {p99[1]} ms beside a hanging and a failing one (p50 {p50})")
    figures = {"ours": 500, "p50": p50[1], "p99": p99[1], "alone_p50": p50[0], "alone_p99": p99[0]}
    return {"delivery_neighbours": {**figures, "ratio": round(p99[1] / p99[0], 2)}}
