"""Partitions by identifier: a day of events or deliveries is a range of identifiers, because these sort by time."""

import datetime as dt

import asyncpg

from steward.kit.connection import connect

DAY_SECONDS = 86_400
AHEAD_DAYS = 7

# Any number will do, as long as nobody else takes it.
_LOCK = 0x57E3A2E

# Table → the column that it is cut by, and the prefix of the identifiers there.
PARTITIONED = {
    "events": ("id", "evt"),
    "deliveries": ("id", "dlv"),
    "delivery_attempts": ("delivery_id", "dlv"),
}


def first_id(prefix: str, moment: int) -> str:
    """Sorts before every identifier made at or after this Unix second."""
    return f"{prefix}_{moment * 1_000_000:014x}"


def day_start(moment: int) -> int:
    return moment - moment % DAY_SECONDS


def partition_name(table: str, day: int) -> str:
    return f"{table}_{dt.datetime.fromtimestamp(day, dt.UTC):%Y%m%d}"


async def keep_partitions(url: str, now: int, retention_seconds: int) -> None:
    """What the worker does now and again; of several workers one at a time."""
    connection = await connect(url)
    try:
        if await connection.fetchval("SELECT pg_try_advisory_lock($1)", _LOCK):
            await make_partitions(connection, now)
            await drop_partitions(connection, now - retention_seconds)
    finally:
        await connection.close()


async def make_partitions(connection: asyncpg.Connection, now: int) -> list[str]:
    """Makes the partitions of today and the coming week that are missing; returns their names."""
    existing = {row[0] for row in await connection.fetch("SELECT relname FROM pg_class WHERE relispartition")}
    made = []
    for table, (_, prefix) in PARTITIONED.items():
        for ahead in range(AHEAD_DAYS + 1):
            day = day_start(now) + ahead * DAY_SECONDS
            name = partition_name(table, day)
            if name not in existing:
                await connection.execute(
                    f"CREATE TABLE IF NOT EXISTS {name} PARTITION OF {table} "
                    f"FOR VALUES FROM ('{first_id(prefix, day)}') TO ('{first_id(prefix, day + DAY_SECONDS)}')"
                )
                made.append(name)
    return made


async def drop_partitions(connection: asyncpg.Connection, before: int) -> list[str]:
    """Drops the days that ended before this moment, and clears the default partitions of the same time."""
    dropped = []
    for table, (column, prefix) in PARTITIONED.items():
        last = partition_name(table, day_start(before))
        rows = await connection.fetch(
            "SELECT c.relname FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid "
            "WHERE i.inhparent = $1::regclass ORDER BY c.relname",
            table,
        )
        for (name,) in rows:
            if name != f"{table}_default" and name < last:
                await connection.execute(f"DROP TABLE {name}")
                dropped.append(name)
        await connection.execute(f"DELETE FROM {table}_default WHERE {column} < $1", first_id(prefix, before))  # noqa: S608
    return dropped
