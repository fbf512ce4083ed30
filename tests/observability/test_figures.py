"""What is shown of pools, processes, partitions and the feed is what there is."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from prometheus_client import REGISTRY
from tests.support.ports import free_port
from tests.support.processes import StewardProcess
from tests.support.service import Service
from tests.support.waiting import limit, wait_for

from steward.kit.coordination.processes import count_processes
from steward.kit.db.connection import ConnectionLostError
from steward.kit.db.partitions import DAY_SECONDS, partitions_until
from steward.kit.db.pool import Pool
from steward.kit.db.pool_metrics import show_pools
from steward.kit.db.sql import sql
from steward.kit.runtime import clock
from steward.upkeep.figures import FeedDelay

pytestmark = pytest.mark.long

_ONE = sql("SELECT 1")
_NUMBERED = sql("SELECT pg_current_xact_id()::text")


def _value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


async def test_a_pool_shows_who_uses_it_and_who_waits(database_url: str) -> None:
    pool = Pool(database_url, 1, name="shown")
    try:
        async with pool.transaction():
            waiting = asyncio.create_task(pool.fetchval(_ONE))
            await asyncio.sleep(0)
            await show_pools([pool, pool])
            figures = [
                _value(f"steward_pool_{what}", pool="shown") for what in ("size", "open", "in_use", "waiting")
            ]
        assert figures == [2, 2, 2, 2]
        assert await waiting == 1
        await show_pools([pool])
        assert _value("steward_pool_in_use", pool="shown") == 0
        # One made a connection, and the other waited for it; a request that finds one idle isn't counted.
        await pool.fetchval(_ONE)
        assert _value("steward_pool_acquire_seconds_count", pool="shown") == 2
    finally:
        await pool.close()


@pytest.mark.parametrize(
    ("looks", "seconds"),
    [
        # The oldest number that is open, and the one after the newest that is over, every ten seconds.
        ([(5, 5), (5, 5)], 0),
        ([(5, 9)], 0),
        ([(5, 9), (5, 12), (5, 12)], 20),
        ([(5, 9), (9, 12)], 0),
        ([(5, 9), (7, 12), (7, 20)], 20),
        ([(5, 9), (10, 12), (10, 20)], 10),
        ([(5, 9), (5, 12), (12, 12), (12, 15)], 0),
    ],
)
def test_the_lag_of_the_feed_counts_from_the_first_newer_commit(
    looks: list[tuple[int, int]], seconds: float
) -> None:
    times = iter(range(0, 1000, 10))
    delay = FeedDelay(now=lambda: next(times))
    assert [delay.seconds(*look) for look in looks][-1] == seconds


async def test_an_open_transaction_holds_the_feed_back_once_a_newer_one_is_over(database_url: str) -> None:
    times = iter((0.0, 30.0))
    delay, pool = FeedDelay(now=lambda: next(times)), Pool(database_url, 1)
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute("BEGIN")
        await connection.fetchval("SELECT pg_current_xact_id()")
        await pool.fetchval(_NUMBERED)
        await delay.look(pool)
        assert _value("steward_feed_held_back_seconds") == 0
        await delay.look(pool)
        assert _value("steward_feed_held_back_seconds") == 30
        await connection.execute("ROLLBACK")
    finally:
        await connection.close()
        await pool.close()


async def test_partitions_reach_as_far_as_there_is_no_gap(database_url: str) -> None:
    pool, now = Pool(database_url, 1), clock.now()
    try:
        reach = await partitions_until(pool, now)
        assert set(reach) == {
            "events",
            "deliveries",
            "delivery_attempts",
            "telemetry_recent",
            "telemetry_hours",
        }
        # A week and what is left of the day on which they were made, which may have been yesterday.
        assert {
            table: 6 * DAY_SECONDS < reach[table] - now <= 8 * DAY_SECONDS
            for table in ("events", "deliveries")
        } == {
            "events": True,
            "deliveries": True,
        }
        # Where not even the present has a partition.
        far = now + 1000 * DAY_SECONDS
        assert set((await partitions_until(pool, far)).values()) == {far}
    finally:
        await pool.close()


async def test_an_unreachable_database_is_reported() -> None:
    pool = Pool("postgresql://127.0.0.1:1/x", 1)
    with pytest.raises((OSError, ConnectionLostError)):
        await count_processes(pool)
    assert _value("steward_database_reachable") == 0
    await pool.close()


@pytest.fixture
def shown(service: Service) -> Any:
    def complete() -> str:
        text = service.metrics()
        return text if 'steward_partitions_ahead_seconds{table="events"}' in text else ""

    return wait_for("the figures of the worker", complete)


def test_a_broker_that_was_never_reached_is_reported(own_database_url: str, tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    worker = StewardProcess(
        tmp_path / "worker.log",
        "worker",
        STEWARD_DATABASE_URL=own_database_url,
        STEWARD_METRICS_ADDRESS=address,
        STEWARD_MQTT_URL="mqtt://127.0.0.1:1",
    )

    def shown() -> bool:
        with suppress(httpx.TransportError):
            lines = httpx.get(f"http://{address}/metrics", timeout=limit(60)).text.splitlines()
            return 'steward_mqtt_connected{broker="127.0.0.1:1"} 0.0' in lines
        return False

    try:
        wait_for("the figure of the broker", shown)
    finally:
        worker.stop()


def test_processes_are_listed(shown: str) -> None:
    lines = shown.splitlines()
    assert {
        'steward_process_starts_total{kind="api"} 1.0',
        'steward_process_starts_total{kind="worker"} 1.0',
    } <= set(lines)
    assert [line for line in lines if line.startswith("steward_database_reachable")] == [
        "steward_database_reachable 1.0"
    ] * 2
    assert any(line.startswith('steward_build_info{schema="0062",version="') for line in lines)
    assert 'steward_pool_size{pool="requests"} 10.0' in lines
    assert 'steward_pool_size{pool="deliveries"} 4.0' in lines
    # It has no broker, and its database is nobody's embedded one.
    assert not [line for line in lines if line.startswith("steward_mqtt_connected")]
    assert not [line for line in lines if line.startswith("steward_disk_free_bytes{")]
