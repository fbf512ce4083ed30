"""Keeps the history of readings small: folds the hours that are over, drops what is older than the retention."""

from contextlib import AsyncExitStack

from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.db.partitions import (
    DAY_SECONDS,
    HOUR_SECONDS,
    MAX_SECONDS,
    drop_partitions,
    make_partition,
    partition_starts,
)
from steward.telemetry import queries
from steward.telemetry.folding import BATCH_SIZE, fold_hour

# So long after its end nobody writes into an hour any more, save for those who were held up; these are waited for.
_GRACE_SECONDS = 120

# Whoever waits for a table as a whole holds up all who come after, so it is given up soon and tried again next time.
_PATIENCE_SECONDS = 5


async def keep_history(
    url: str,
    now: int,
    retention_days: int,
    *,
    batch_size: int = BATCH_SIZE,
    patience: int = _PATIENCE_SECONDS,
) -> None:
    """Of several workers one at a time: whoever writes holds the lock, and with its connection loses both."""
    async with AsyncExitStack() as opened:
        writer, guard = [await _connect(url, patience, opened) for _ in range(2)]
        if await queries.try_lock_history(writer):
            await _fold(writer, guard, now, batch_size)
            await drop_partitions(writer, "telemetry_hours", now - retention_days * DAY_SECONDS)


async def _connect(url: str, patience: int, opened: AsyncExitStack) -> DatabaseConnection:
    connection = await connect(url, seconds=MAX_SECONDS)
    opened.push_async_callback(connection.close)
    await connection.execute(f"SET lock_timeout = '{patience}s'")
    await connection.execute("SET work_mem = '64MB'")
    return connection


async def _fold(writer: DatabaseConnection, guard: DatabaseConnection, now: int, batch_size: int) -> None:
    # Those that found no partition get one, and go the way of all others.
    for arrived in await queries.hours_without_partition(writer):
        await make_partition(writer, "telemetry_recent", arrived * HOUR_SECONDS)
    for start in await partition_starts(writer, "telemetry_recent"):
        if start + HOUR_SECONDS + _GRACE_SECONDS <= now:
            await fold_hour(writer, guard, start // HOUR_SECONDS, batch_size)
