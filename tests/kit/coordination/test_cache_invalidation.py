"""A process trusts what it remembers only while it hears itself over the connection on which it listens."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.databases import database_named
from tests.support.proxy import FaultProxy
from tests.support.waiting import limit, wait_for_async

from steward.kit.coordination.cache_invalidation import BusTiming, Invalidation, InvalidationBus
from steward.kit.coordination.process_place import is_gone
from steward.kit.db.pool import Database, Pool
from steward.kit.db.pooler import NotificationsNotReceived
from steward.kit.db.sql import sql


class Memory:
    """A cache that is kept until an invalidation arrives."""

    def __init__(self) -> None:
        self.value = 0
        self.invalidated = asyncio.Event()

    async def reset(self, _database: Database) -> None:
        self.value = 0

    def invalidate(self, _invalidation: Invalidation) -> None:
        self.value += 1
        self.invalidated.set()


# What the product gives up after some seconds takes as long as it does on a slow machine.
PATIENT = BusTiming(acknowledge=limit(60), statement=limit(60), first_echo=limit(60), start=limit(61))


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


async def test_late_notifications_do_not_block_stopping(pool: Pool, database_url: str) -> None:
    bus = InvalidationBus(database_url, pool, timing=PATIENT)

    async def waits_for_news() -> bool:
        return bool(bus._received._getters)  # type: ignore[attr-defined]

    async with started(bus):
        await wait_for_async("a bus that waits for news", waits_for_news)
        bus._on_echo("said by nobody")
    assert bus._task is None or bus._task.done()


async def change(pool: Pool, sender: InvalidationBus) -> None:
    async with pool.transaction() as transaction:
        await sender.invalidate(transaction, "org_of_nobody")


async def test_listeners_invalidate_before_the_change_returns(pool: Pool, database_url: str) -> None:
    # A slow process keeps its trust.
    unhurried = PATIENT._replace(lease=3600, echo=3600)
    memory = Memory()
    async with (
        started(InvalidationBus(database_url, pool, [memory], timing=unhurried)) as bus,
        started(InvalidationBus(database_url, pool, timing=unhurried)) as sender,
    ):
        await wait_for_async("trust", bus.trusted)
        await change(pool, sender)
        assert memory.value == 1
        assert bus.trusted()


async def test_a_process_that_can_send_but_not_receive_stops_trusting_its_cache(
    pool: Pool, database_url: str
) -> None:
    """As behind a pooler that takes the listening server process away: every statement goes through, and nothing comes."""
    memory = Memory()
    with FaultProxy.before(database_url) as proxy:
        listen_url = proxy.url(database_url)
        bus = InvalidationBus(database_url, pool, [memory], listen_url=listen_url, timing=PATIENT)
        async with started(bus), started(InvalidationBus(database_url, pool, timing=PATIENT)) as sender:
            await wait_for_async("trust", bus.trusted)
            proxy.mode = "hole"
            # The change isn't done before the deaf one has lost its lease, and it doesn't trust its memory for as long.
            await change(pool, sender)
            assert memory.value == 0
            assert not bus.trusted()
            proxy.mode = "refuse"
            proxy.mode = "pass"
            await wait_for_async("trust again", bus.trusted)

            async def changed_again() -> int:
                await change(pool, sender)
                return memory.value

            await wait_for_async("hearing again", changed_again)


async def test_a_listener_on_another_database_does_not_start(pool: Pool, database_url: str) -> None:
    # It never hears itself, so that there is nothing to wait for.
    hasty = PATIENT._replace(first_echo=0.1)
    elsewhere = database_named(database_url, "postgres")
    for caches in ([Memory()], []):
        with pytest.raises(NotificationsNotReceived, match="STEWARD_DATABASE_LISTEN_URL"):
            await InvalidationBus(database_url, pool, caches, listen_url=elsewhere, timing=hasty).start()


async def test_notifications_on_other_channels_are_passed_on(pool: Pool, database_url: str) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    bus = InvalidationBus(database_url, pool, listeners={"steward_test": heard.put_nowait}, timing=PATIENT)
    async with started(bus):
        await pool.execute("SELECT pg_notify('steward_test', 'something')")  # type: ignore[arg-type]
        assert await asyncio.wait_for(heard.get(), limit(60)) == "something"


async def test_leases_of_processes_killed_on_this_machine_are_free_at_once(
    pool: Pool, database_url: str
) -> None:
    program = "from steward.kit.coordination.process_place import own_place; print(own_place(), flush=True); input()"
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert killed.stdout is not None
    place = (await killed.stdout.readline()).decode().strip()
    assert not is_gone(place)
    statement = sql(
        "INSERT INTO processes (id, kind, seen, lease_until, place) VALUES ($1, 'api', 0, $2, $3)"
    )
    an_hour_from_now = datetime.now(UTC) + timedelta(hours=1)
    await pool.execute(statement, "prc_killed", an_hour_from_now, place)
    unhurried = PATIENT._replace(lease=3600, echo=3600)
    async with started(InvalidationBus(database_url, pool, timing=unhurried)) as sender:
        waiting = asyncio.create_task(change(pool, sender))
        assert not (await asyncio.wait([waiting], timeout=0.6))[0], (
            "it is there, and didn't say that it knows"
        )
        killed.kill()
        await waiting
    await killed.wait()
    assert is_gone(place)
    await pool.execute(sql("DELETE FROM processes WHERE id = $1"), "prc_killed")


async def test_a_process_hidden_in_proc_is_not_considered_dead(tmp_path: Path) -> None:
    """As with the mount option `hidepid`, which shows each account its own processes only."""
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    (tmp_path / "sys/kernel/random").mkdir(parents=True)
    (tmp_path / "sys/kernel/random/boot_id").write_text("boot\n")
    (tmp_path / "self/ns").mkdir(parents=True)
    (tmp_path / "self/ns/pid").symlink_to("pid:[1]")
    place = f"boot pid:[1] {other.pid} 77"
    assert not is_gone(place, tmp_path)
    other.kill()
    await other.wait()
    assert is_gone(place, tmp_path)
    assert not is_gone(place.replace("boot", "elsewhere"), tmp_path)


async def test_a_rolled_back_change_leaves_nothing_behind(pool: Pool, database_url: str) -> None:
    sender = InvalidationBus(database_url, pool, timing=PATIENT)

    async def taken_back() -> None:
        async with pool.transaction() as transaction:
            await sender.invalidate(transaction, "org_of_nobody")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await taken_back()
    gc.collect()
    assert not sender._acknowledgements._by_token
