"""A worker's sign of life, and what follows when it fails; all by the database's clock."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.support.proxy import FaultProxy
from tests.support.waiting import limit, wait_for_async
from tests.webhook_delivery.delivery_database import DeliveryDatabase

from steward.kit.coordination.heartbeat import LEASE_SECONDS, Heartbeat
from steward.kit.runtime import clock
from steward.webhook_delivery.claims.queries import end_dead_workers

MINUTES = 60_000
HOURS = 60 * MINUTES


@asynccontextmanager
async def beating(url: str, *, lease_seconds: float = LEASE_SECONDS) -> AsyncIterator[Heartbeat]:
    heartbeat = Heartbeat(url, lease_seconds=lease_seconds)
    heartbeat.start()
    try:
        # Where the machine runs since less than a lease, nothing would look like one.
        await wait_for_async("a lease", lambda: heartbeat._renewed and heartbeat.holds_lease())
        yield heartbeat
    finally:
        await heartbeat.stop()


async def test_a_worker_that_stops_is_ended_for_the_others_at_once(database: DeliveryDatabase) -> None:
    # No lease runs out here, however slow the machine is: what ends was ended.
    async with beating(database.url, lease_seconds=3600) as stays:
        ended = asyncio.Event()
        stays.on_worker_ended = ended.set
        async with beating(database.url, lease_seconds=3600) as leaves:
            assert not ended.is_set()
        async with asyncio.timeout(limit(60)):
            await ended.wait()
        assert (await end_dead_workers(database.pool, stays.process, 0))[0] == [leaves.process]
        assert stays.holds_lease()


async def test_a_disconnected_worker_stops_and_registers_again_if_expired(
    database: DeliveryDatabase,
) -> None:
    with FaultProxy.before(database.url) as proxy:
        async with beating(database.url) as stays, beating(proxy.url(database.url)) as cut_off:
            ended, lost = asyncio.Event(), asyncio.Event()
            name = cut_off.process
            proxy.mode = "hole"
            stays.on_worker_ended, cut_off.on_lease_lost = ended.set, lost.set
            async with asyncio.timeout(limit(60)):
                await ended.wait()
            # It knew before the others did.
            assert not cut_off.holds_lease()
            assert (await end_dead_workers(database.pool, stays.process, 0))[0] == [name]
            proxy.mode = "pass"
            async with asyncio.timeout(limit(60)):
                await lost.wait()
            assert cut_off.process != name


async def test_a_worker_whose_lease_expired_unclaimed_continues(database: DeliveryDatabase) -> None:
    with FaultProxy.before(database.url) as proxy:
        async with beating(proxy.url(database.url)) as alone:
            name = alone.process
            proxy.mode = "hole"
            await wait_for_async("the end of the lease", lambda: not alone.holds_lease())
            proxy.mode = "pass"
            await wait_for_async("a lease again", alone.holds_lease)
            assert alone.process == name


@pytest.mark.parametrize("wrong_ms", [-5 * HOURS, 5 * HOURS])
async def test_a_process_uses_the_clock_of_the_database(
    database: DeliveryDatabase, monkeypatch: pytest.MonkeyPatch, wrong_ms: int
) -> None:
    offset = time.time_ns() // 1000 - clock.monotonic_us() + wrong_ms * 1000
    monkeypatch.setattr(clock.DATABASE, "_offset", offset)
    # Identifiers only grow: those of the tests after this one must not go on from the hour that was made up.
    monkeypatch.setattr(clock.DATABASE, "_latest", 0)
    async with beating(database.url):
        [(by_the_database,)] = await database.rows("SELECT extract(epoch FROM now()) * 1000")
        assert abs(clock.now_ms() - int(by_the_database)) < 10 * MINUTES
