"""Folding loses nothing and doubles nothing, whenever it is killed, and whatever else uses the history."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest
from asyncpg.transaction import Transaction
from tests.support.locks import end_backends, waiting_backends
from tests.support.processes import environment
from tests.support.waiting import wait_for_async
from tests.telemetry.telemetry_database import HOUR, NUMBER, RETENTION_DAYS, START, Row, TelemetryDatabase

from steward.kit.db.partitions import DAY_SECONDS, make_partitions, partition_name, partition_start

# When the first hour of arrival may be folded, and no other.
CLOSED = START + 3600 + 120
FIRST = partition_name("telemetry_recent", START)
_FOLD = """
import asyncio, sys
from steward.telemetry.jobs import keep_history
asyncio.run(keep_history(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), batch_size=2, patience=60))
"""
_NO_LOCK = """SELECT count(*) = 0 FROM pg_locks JOIN pg_database d ON d.oid = database
              WHERE locktype = 'advisory' AND datname = current_database()"""


@asynccontextmanager
async def _holding(database: TelemetryDatabase, statement: str, *args: object) -> AsyncIterator[Transaction]:
    """Somebody else's transaction, open while the body runs."""
    other = await asyncpg.connect(database.url)
    transaction = other.transaction()
    await transaction.start()
    await other.execute(statement, *args)
    try:
        yield transaction
    finally:
        if other.is_in_transaction():
            await transaction.rollback()
        await other.close()


async def _kill_while_it_waits(database: TelemetryDatabase, query: str, now: int = CLOSED) -> None:
    words = [sys.executable, "-c", _FOLD, database.url, str(now), str(RETENTION_DAYS)]
    process = await asyncio.create_subprocess_exec(*words, env=environment())
    try:
        await wait_for_async(f"the wait of {query}", lambda: waiting_backends(database.url, query))
    finally:
        process.kill()
        await process.wait()
    # Its server process would go on with the statement when it gets the lock; the machine that dies takes both.
    await end_backends(database.url, await waiting_backends(database.url, query))
    await wait_for_async("the end of its connections", lambda: database.db.fetchval(_NO_LOCK))


async def _three_assets(database: TelemetryDatabase) -> tuple[list[str], list[int]]:
    """Readings of an hour, some of them twice, the last asset's with an hour that is folded already."""
    assets = [await database.reporting() for _ in range(3)]
    for number, (_, series) in enumerate(assets):
        rows = [Row(HOUR, START + 60 * n, [20.0 + number, float(n)]) for n in range(5)]
        await database.arrive(series, [*rows, rows[1], Row(HOUR, START + 60, [None, 99.0])])
    last = assets[-1][1]
    await database.db.execute(
        "INSERT INTO telemetry_hours VALUES ($3, $1, $2, NULL, '{0,7}', '{{1,2},{3,NULL}}')",
        last,
        HOUR,
        NUMBER,
    )
    return [asset_id for asset_id, _ in assets], [series for _, series in assets]


async def _all(database: TelemetryDatabase, assets: list[str]) -> list[dict[str, dict[int, float]]]:
    return [await database.exact(asset_id, hours=1) for asset_id in assets]


async def test_a_fold_killed_between_slices_leaves_history_unchanged(database) -> None:
    assets, series = await _three_assets(database)
    before = await _all(database, assets)
    assert before[2]["Temperature"] == {START: 22, START + 7: 3, **{START + 60 * n: 22 for n in range(1, 5)}}
    held = "SELECT 1 FROM telemetry_hours WHERE tenant = $1 AND series = $2 FOR UPDATE"
    async with _holding(database, held, NUMBER, series[-1]):
        await _kill_while_it_waits(database, "WITH fresh AS MATERIALIZED%")
    # Two of three slices are in, nothing is gone.
    assert await database.count("telemetry_hours") == 3
    assert await database.count(FIRST) == 15
    assert await _all(database, assets) == before
    await database.fold(CLOSED, batch_size=2)
    assert FIRST not in await database.partitions("telemetry_recent")
    assert await _all(database, assets) == before
    assert await database.count("telemetry_hours") == 3


async def test_a_fold_killed_before_deleting_readings_is_repeated(database) -> None:
    assets, _ = await _three_assets(database)
    before = await _all(database, assets)
    async with _holding(database, "LOCK TABLE ONLY telemetry_recent IN ACCESS SHARE MODE"):
        await _kill_while_it_waits(database, f"DROP TABLE {FIRST}%")
    assert await database.count(FIRST) == 15
    assert await _all(database, assets) == before
    await database.fold(CLOSED)
    assert await database.count("telemetry_recent") == 0
    assert await _all(database, assets) == before


async def test_a_fold_that_cannot_lock_the_table_is_retried(database) -> None:
    assets, _ = await _three_assets(database)
    before = await _all(database, assets)
    async with _holding(database, f"SELECT 1 FROM {FIRST} LIMIT 1"):
        with pytest.raises(asyncpg.LockNotAvailableError):
            await database.fold(CLOSED, patience=0.5)
        # Before it began: who reads for hours isn't waited for with work that has to be done again.
        assert await database.count("telemetry_hours") == 1
        assert await _all(database, assets) == before
    await database.fold(CLOSED)
    assert await _all(database, assets) == before


async def test_the_feed_waits_for_a_delayed_writer(database) -> None:
    asset_id, series = await database.reporting()
    insert = "INSERT INTO telemetry_recent VALUES ($1, $2, $3, 0, '{20}')"
    async with _holding(database, insert, NUMBER, series, HOUR) as writing:
        folding = asyncio.create_task(database.fold(CLOSED))
        await wait_for_async("the wait of the fold", lambda: waiting_backends(database.url, "LOCK TABLE%"))
        await writing.commit()
        await folding
    assert await database.count("telemetry_recent") == 0
    assert (await database.exact(asset_id, hours=1))["Temperature"] == {START: 20}


async def test_a_reading_later_than_its_folded_hour_is_kept_and_folded_next_time(database) -> None:
    asset_id, series = await database.reporting()
    await database.arrive(series, [Row(HOUR, START, [20.0])])
    await database.fold(CLOSED)
    await database.arrive(series, [Row(HOUR, START, [21.0]), Row(HOUR, START + 1, [22.0])])
    assert await database.count("telemetry_recent_default") == 2
    for _ in range(2):
        assert (await database.exact(asset_id, hours=1))["Temperature"] == {START: 21, START + 1: 22}
        await database.fold(CLOSED)
    assert await database.count("telemetry_recent") == 0
    assert FIRST not in await database.partitions("telemetry_recent")


async def test_an_hour_is_folded_two_minutes_after_its_end(database) -> None:
    _, series = await database.reporting()
    await database.arrive(series, [Row(HOUR, START, [20.0]), Row(HOUR + 1, START + 3600, [20.0])])
    await database.fold(CLOSED - 1)
    assert await database.count("telemetry_recent") == 2
    await database.fold(CLOSED)
    assert await database.count("telemetry_recent") == 1


async def test_an_hour_is_stored_as_two_arrays(database) -> None:
    _, series = await database.reporting()
    rows: list[tuple[int, list[float | None]]] = [(30, [1.0, None, 0.0]), (10, [2.0]), (20, [None, 3.0])]
    await database.arrive(series, [Row(HOUR, START + second, vals) for second, vals in rows])
    await database.fold(CLOSED)
    assert [tuple(row) for row in await database.db.fetch("SELECT * FROM telemetry_hours")] == [
        (NUMBER, series, HOUR, HOUR, [10, 20, 30], [[2.0, None, None], [None, 3.0, None], [1.0, None, 0.0]])
    ]


async def test_late_readings_extend_a_folded_hour(database) -> None:
    asset_id, series = await database.reporting()
    await database.arrive(series, [Row(HOUR, START + 5, [1.0])])
    await database.fold(CLOSED)
    await database.arrive(
        series, [Row(HOUR + 1, START + 2, [None, None, 1.0]), Row(HOUR + 1, START + 5, [None, 2.0])]
    )
    await database.fold(CLOSED + 3600)
    row = await database.db.fetchrow("SELECT times, vals FROM telemetry_hours")
    assert (row["times"], row["vals"]) == ([2, 5], [[None, None, 1.0], [1.0, 2.0, None]])
    assert await database.exact(asset_id, hours=1) == {
        "Temperature": {START + 5: 1},
        "Humidity": {START + 5: 2},
        "Open": {START + 2: 1},
    }


async def test_one_worker_folds_at_a_time(database) -> None:
    _, series = await database.reporting()
    await database.arrive(series, [Row(HOUR, START, [20.0])])
    async with _holding(database, f"LOCK TABLE {FIRST} IN ACCESS SHARE MODE"):
        busy = asyncio.create_task(database.fold(CLOSED))
        await wait_for_async("the wait of the first", lambda: waiting_backends(database.url, "LOCK TABLE%"))
        await database.fold(CLOSED)  # comes back at once, though the table is held
        assert not busy.done()
    await busy
    assert await database.count("telemetry_recent") == 0


async def test_history_older_than_the_retention_is_dropped_by_week(database) -> None:
    _, series = await database.reporting()
    week = partition_start("telemetry_hours", START)
    older = "INSERT INTO telemetry_hours VALUES ($1, $2, $3, NULL, '{0}', '{{1}}')"
    await database.db.execute(older, NUMBER, series, HOUR)
    await database.db.execute(older, NUMBER, series, HOUR - 1000)
    assert await database.count("telemetry_hours_default") == 1
    end = week + 7 * DAY_SECONDS
    await database.fold(end + RETENTION_DAYS * DAY_SECONDS - 1)
    assert await database.count("telemetry_hours_default") == 0
    assert await database.count("telemetry_hours") == 1
    await database.fold(end + RETENTION_DAYS * DAY_SECONDS)
    assert await database.count("telemetry_hours") == 0
    assert partition_name("telemetry_hours", week) not in await database.partitions("telemetry_hours")


async def test_partitions_are_made_ahead(database) -> None:
    assert {
        partition_name("telemetry_recent", START + n * 3600) for n in range(49)
    } <= await database.partitions("telemetry_recent")
    weeks = {partition_name("telemetry_hours", START + n * 7 * DAY_SECONDS) for n in range(3)}
    assert weeks <= await database.partitions("telemetry_hours")


async def test_a_new_partition_takes_rows_from_the_default_partition(database) -> None:
    """Partitions are missing for a long time, then they are made."""
    asset_id, series = await database.reporting()
    later = START + 30 * DAY_SECONDS
    await database.arrive(series, [Row(later // 3600, later + n, [float(n)]) for n in range(3)])
    await database.db.execute(
        "INSERT INTO telemetry_hours VALUES ($3, $1, $2, NULL, '{9}', '{{9}}')",
        series,
        later // 3600,
        NUMBER,
    )
    assert await database.count("telemetry_recent_default") == 3
    await make_partitions(database.db, later)
    assert await database.count("telemetry_recent_default") == 0
    assert await database.count("telemetry_hours_default") == 0
    assert await database.count(partition_name("telemetry_recent", later)) == 3
    await database.fold(later + 3720)
    assert (await database.exact(asset_id, later, 1))["Temperature"] == {
        later: 0,
        later + 1: 1,
        later + 2: 2,
        later + 9: 9,
    }
