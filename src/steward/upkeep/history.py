"""Keeps the history of readings small: folds the hours that are over, drops what is older than the retention."""

from steward.kit.connection import Connection, connect
from steward.kit.partitions import (
    DAY_SECONDS,
    HOUR_SECONDS,
    drop_partitions,
    make_partition,
    partition_starts,
)
from steward.kit.sql import sql
from steward.telemetry.folding import AT_ONCE, fold_hour

# So long after its end nobody writes into an hour any more, save for those who were held up; these are waited for.
_GRACE_SECONDS = 120

# Whoever waits for a table as a whole holds up all who come after, so it is given up soon and tried again next time.
_PATIENCE_SECONDS = 5

# Any number will do, as long as nobody else takes it.
_LOCK = sql("SELECT pg_try_advisory_lock(x'57E3A2F'::bigint)")
_STRAYS = sql("SELECT DISTINCT arrived FROM telemetry_recent_default ORDER BY arrived")


async def keep_history(
    url: str, now: int, retention_days: int, *, at_once: int = AT_ONCE, patience: int = _PATIENCE_SECONDS
) -> None:
    """Of several workers one at a time: whoever writes holds the lock, and with its connection loses both."""
    writer, guard = await _connect(url, patience), await _connect(url, patience)
    try:
        if (await writer.run(_LOCK))[0][0]:
            await _fold(writer, guard, now, at_once)
            await drop_partitions(writer, now - retention_days * DAY_SECONDS, ["telemetry_hours"])
    finally:
        await writer.close()
        await guard.close()


async def _connect(url: str, patience: int) -> Connection:
    connection = await connect(url)
    await connection.execute(f"SET lock_timeout = '{patience}s'")
    await connection.execute("SET statement_timeout = '10min'")
    await connection.execute("SET work_mem = '64MB'")
    return connection


async def _fold(writer: Connection, guard: Connection, now: int, at_once: int) -> None:
    # Those that found no partition get one, and go the way of all others.
    for (arrived,) in await writer.run(_STRAYS):
        await make_partition(writer, "telemetry_recent", arrived * HOUR_SECONDS)
    for start in await partition_starts(writer, "telemetry_recent"):
        if start + HOUR_SECONDS + _GRACE_SECONDS <= now:
            await fold_hour(writer, guard, start // HOUR_SECONDS, at_once)
