"""Events live in partitions by day: made ahead, dropped after the retention, and none is lost in between."""

import asyncio
import itertools

import asyncpg
import pytest
from tests.support.servers import drop_database, make_database, own_name

from steward.kit.db.connection import STATEMENT_SECONDS
from steward.kit.db.partitions import DAY_SECONDS, first_id, keep_partitions, partition_name, partition_start

DAY = partition_start("events", 1_900_000_000)
_INSERT = """INSERT INTO events (organization_id, id, type, created, about, attributes, body, position)
             VALUES ('org_1', $1, 'asset.created', 1, 'ast_1', '{}', '', event_position())"""
# On a cluster the name of a shard ends with its number.
_PLACES = r"SELECT DISTINCT regexp_replace(tableoid::regclass::text, '_\d{6}$', '') FROM events"


@pytest.fixture
async def fresh_url(database_url: str):
    """A database of its own: partitions belong to all tenants of one."""
    yield await make_database(database_url, own_name("partitions"), migrated=True)
    await drop_database(database_url, own_name("partitions"))


async def _partitions(url: str) -> set[str]:
    connection = await asyncpg.connect(url)
    rows = await connection.fetch("SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r'")
    await connection.close()
    return {row[0] for row in rows}


async def test_a_week_is_made_ahead_and_what_is_old_is_dropped(fresh_url: str) -> None:
    await keep_partitions(fresh_url, DAY + 100)
    made = await _partitions(fresh_url)
    assert {partition_name("events", DAY + n * DAY_SECONDS) for n in range(8)} <= made
    assert {partition_name("deliveries", DAY + n * DAY_SECONDS) for n in range(8)} <= made
    later = DAY + 32 * DAY_SECONDS
    await keep_partitions(fresh_url, later)
    kept = await _partitions(fresh_url)
    assert partition_name("events", DAY) not in kept
    assert partition_name("events", DAY + DAY_SECONDS) not in kept
    assert partition_name("events", DAY + 2 * DAY_SECONDS) in kept
    assert partition_name("events", later + 7 * DAY_SECONDS) in kept


async def test_an_event_of_a_day_without_a_partition_is_kept_and_goes_in_time(fresh_url: str) -> None:
    connection = await asyncpg.connect(fresh_url)
    await connection.execute(_INSERT, first_id("evt", DAY + 50) + "00000000000000")
    assert await connection.fetchval(_PLACES) == "events_default"
    await keep_partitions(fresh_url, DAY + 20 * DAY_SECONDS)
    assert await connection.fetchval("SELECT count(*) FROM events") == 1
    await keep_partitions(fresh_url, DAY + 31 * DAY_SECONDS)
    assert await connection.fetchval("SELECT count(*) FROM events") == 0
    await connection.close()


async def test_a_day_is_a_range_of_identifiers(fresh_url: str) -> None:
    await keep_partitions(fresh_url, DAY)
    connection = await asyncpg.connect(fresh_url)
    for second in (DAY, DAY + DAY_SECONDS - 1):
        await connection.execute(_INSERT, first_id("evt", second) + "00000000000000")
    places = await connection.fetch(_PLACES)
    await connection.close()
    assert [row[0] for row in places] == [partition_name("events", DAY)]


async def test_long_reads_fail_no_writes(fresh_url: str) -> None:
    """Writers queue behind a lock request for the whole table, and their statements have a limit."""
    await keep_partitions(fresh_url, DAY)
    reader, writer = await asyncpg.connect(fresh_url), await asyncpg.connect(fresh_url)
    await writer.execute(f"SET statement_timeout = '{STATEMENT_SECONDS}s'")
    async with reader.transaction():
        await reader.execute("LOCK TABLE events IN ACCESS SHARE MODE")
        job = asyncio.create_task(keep_partitions(fresh_url, DAY + DAY_SECONDS))
        for number in itertools.count():
            await writer.execute(_INSERT, f"{first_id('evt', DAY)}{number:014x}")
            if job.done():
                break
        with pytest.raises(asyncpg.LockNotAvailableError):
            await job
    await reader.close()
    await writer.close()
    await keep_partitions(fresh_url, DAY + DAY_SECONDS)
    assert partition_name("events", DAY + 8 * DAY_SECONDS) in await _partitions(fresh_url)
