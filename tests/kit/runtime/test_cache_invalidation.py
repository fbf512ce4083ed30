"""A process trusts what it remembers only while it hears itself over the connection on which it listens."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from tests.support.databases import database_named
from tests.support.proxy import FaultProxy

from steward.kit.db.pool import Database, Pool
from steward.kit.db.pooler import DeafError
from steward.kit.runtime.cache_invalidation import Invalidation, InvalidationBus


class Memory:
    """Something that is remembered until it is heard to have changed."""

    def __init__(self) -> None:
        self.value = 0
        self.invalidated = asyncio.Event()

    async def reset(self, _database: Database) -> None:
        self.value = 0

    def invalidate(self, _invalidation: Invalidation) -> None:
        self.value += 1
        self.invalidated.set()


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    pool = Pool(database_url, 4)
    yield pool
    await pool.close()


@asynccontextmanager
async def started(bus: InvalidationBus) -> AsyncIterator[InvalidationBus]:
    await bus.start()
    try:
        yield bus
    finally:
        await bus.stop()


async def change(pool: Pool, sender: InvalidationBus) -> None:
    async with pool.transaction() as transaction:
        await sender.invalidate(transaction, "org_of_nobody")


async def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


async def test_who_hears_is_told_before_the_change_is_done(pool: Pool, database_url: str) -> None:
    memory = Memory()
    async with (
        started(InvalidationBus(database_url, pool, [memory])) as bus,
        started(InvalidationBus(database_url, pool)) as sender,
    ):
        assert bus.trusted()
        await change(pool, sender)
        assert memory.value == 1
        assert bus.trusted()


async def test_who_goes_deaf_loses_its_trust_although_it_can_speak(pool: Pool, database_url: str) -> None:
    """As behind a pooler that takes the listening server process away: every statement goes through, and nothing comes."""
    memory = Memory()
    with FaultProxy.before(database_url) as proxy:
        listen_url = proxy.url(database_url)
        bus = InvalidationBus(database_url, pool, [memory], listen_url=listen_url)
        async with started(bus), started(InvalidationBus(database_url, pool)) as sender:
            assert bus.trusted()
            proxy.mode = "hole"
            # The change isn't done before the deaf one has lost its lease, and it doesn't trust its memory for as long.
            await change(pool, sender)
            assert memory.value == 0
            assert not bus.trusted()
            proxy.mode = "refuse"
            proxy.mode = "pass"
            await until(bus.trusted)
            await change(pool, sender)
            assert memory.value >= 1


async def test_who_listens_elsewhere_is_not_started(pool: Pool, database_url: str) -> None:
    elsewhere = database_named(database_url, "postgres")
    for caches in ([Memory()], []):
        with pytest.raises(DeafError, match="STEWARD_DATABASE_LISTEN_URL"):
            await InvalidationBus(database_url, pool, caches, listen_url=elsewhere).start()


async def test_what_others_say_on_their_channel_is_passed_on(pool: Pool, database_url: str) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    bus = InvalidationBus(database_url, pool, listeners={"steward_test": heard.put_nowait})
    async with started(bus):
        await pool.execute("SELECT pg_notify('steward_test', 'something')")  # type: ignore[arg-type]
        assert await asyncio.wait_for(heard.get(), 10) == "something"
