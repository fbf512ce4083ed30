"""Keeps the history of readings small: folds finished hours, drops data older than the retention.

Folding moves what arrived in an hour into the hours of measurement: one row with two arrays instead of a row
per reading. Merging again what was merged before changes nothing, and readers count a second once wherever it
is stored. So a fold may die at any time: batches are merged one by one, and the readings are dropped together
when all of them are merged.
"""

from contextlib import AsyncExitStack

from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.db.partitions import (
    DAY_SECONDS,
    HOUR_SECONDS,
    MAX_SECONDS,
    PATIENCE_SECONDS,
    drop_partitions,
    make_partition,
    partition_name,
    partition_starts,
)
from steward.telemetry.folding import queries

# Few enough to be sorted in memory and not to block other work of the database for long.
_BATCH_SIZE = 200_000
_END_OF_SERIES = 2**31

# After this long no process writes into an hour any more, except late ones, which the fold waits for.
_GRACE_SECONDS = 120


async def keep_history(
    url: str,
    now: int,
    retention_days: int,
    *,
    batch_size: int = _BATCH_SIZE,
    patience: float = PATIENCE_SECONDS,
) -> None:
    """One worker at a time: the writer holds the lock, and loses it with its connection."""
    async with AsyncExitStack() as opened:
        writer, guard = [await _connect(url, patience, opened) for _ in range(2)]
        if await queries.try_lock_history(writer):
            await _fold(writer, guard, now, batch_size)
            await drop_partitions(writer, "telemetry_hours", now - retention_days * DAY_SECONDS)


async def _connect(url: str, patience: float, opened: AsyncExitStack) -> DatabaseConnection:
    connection = await connect(url, seconds=MAX_SECONDS)
    opened.push_async_callback(connection.close)
    await connection.execute(f"SET lock_timeout = '{patience}s'")
    await connection.execute("SET work_mem = '64MB'")
    return connection


async def _fold(writer: DatabaseConnection, guard: DatabaseConnection, now: int, batch_size: int) -> None:
    # Readings without a partition get one, and are folded like the others.
    for arrived in await queries.hours_without_partition(writer):
        await make_partition(writer, "telemetry_recent", arrived * HOUR_SECONDS)
    for start in await partition_starts(writer, "telemetry_recent"):
        if start + HOUR_SECONDS + _GRACE_SECONDS <= now:
            await _fold_hour(writer, guard, start // HOUR_SECONDS, batch_size)


async def _fold_hour(
    writer: DatabaseConnection, guard: DatabaseConnection, arrived: int, batch_size: int
) -> None:
    """Folds a partition of an ended hour; `writer` is the only one that writes into the hours.

    A guard keeps late writers out of the partition until it is dropped: they write to the default partition
    instead. It holds only that lock, so that VACUUM can proceed meanwhile.
    """
    name = partition_name("telemetry_recent", arrived * HOUR_SECONDS)
    # A long reader, such as a backup, would prevent the drop at the end: better to know before all the work.
    async with guard.transaction():
        await guard.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
    await writer.execute(f"ANALYZE {name}")
    async with guard.transaction():
        await guard.execute(f"LOCK TABLE {name} IN SHARE MODE")
        for tenant in await queries.tenants_of_hour(writer, arrived):
            first = 0
            while first < _END_OF_SERIES:
                found = await queries.series_after(writer, arrived, first, batch_size, tenant)
                # A series is never split, however large it is.
                end = _END_OF_SERIES if found is None else max(found, first + 1)
                await queries.merge_hour(writer, arrived, first, end, tenant)
                first = end
        await guard.execute(f"DROP TABLE {name}")
