"""Tables that are cut by time: partitions are made ahead, and what is old goes as a whole."""

import datetime as dt
from collections.abc import Callable, Iterable
from functools import partial

import asyncpg
import msgspec

from steward.kit.db.connection import connect

HOUR_SECONDS = 3600
DAY_SECONDS = 86_400

# Any number will do, as long as nobody else takes it.
_LOCK = 0x57E3A2E
# What moves, drops or folds the rows of many hours may take so long for a statement.
MAX_SECONDS = 600
# Whoever waits for a table as a whole holds up all who come after; behind a backup that would take hours. So it is given up
# and tried again.
_PATIENCE = "SET lock_timeout = '5s'"


class Cut(msgspec.Struct, frozen=True):
    """`first` gives the least value that the column can have at or after a moment."""

    column: str
    first: Callable[[int], str | int]
    seconds: int
    ahead: int
    dated: str


def first_id(prefix: str, moment: int) -> str:
    """Sorts before every identifier made at or after this Unix second."""
    return f"{prefix}_{moment * 1_000_000:014x}"


def first_hour(moment: int) -> int:
    """Hours are counted from 1970."""
    return -(-moment // HOUR_SECONDS)


def _by_identifier(column: str, prefix: str) -> Cut:
    """A day is a range of identifiers, because these sort by time."""
    return Cut(column, partial(first_id, prefix), DAY_SECONDS, 7, "%Y%m%d")


CUTS = {
    "events": _by_identifier("id", "evt"),
    "deliveries": _by_identifier("id", "dlv"),
    "delivery_attempts": _by_identifier("delivery_id", "dlv"),
    "telemetry_recent": Cut("arrived", first_hour, HOUR_SECONDS, 48, "%Y%m%d%H"),
    "telemetry_hours": Cut("hour", first_hour, 7 * DAY_SECONDS, 2, "%Y%m%d"),
}
_EVENTS = ("events", "deliveries", "delivery_attempts")


def partition_start(table: str, moment: int) -> int:
    return moment - moment % CUTS[table].seconds


def partition_name(table: str, start: int) -> str:
    return f"{table}_{dt.datetime.fromtimestamp(start, dt.UTC):{CUTS[table].dated}}"


async def partition_starts(connection: asyncpg.Connection, table: str) -> list[int]:
    """Of the partitions that a table has, from the oldest on."""
    dated = f"{table}_{CUTS[table].dated}"
    names = await connection.fetch(
        "SELECT c.relname FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = $1::regclass",
        table,
    )
    moments = (
        dt.datetime.strptime(f"{name} +0000", f"{dated} %z") for (name,) in names if name != _rest(table)
    )
    return sorted(int(moment.timestamp()) for moment in moments)


async def keep_partitions(url: str, now: int, retention_seconds: int) -> None:
    """What the worker does now and again; of several workers one at a time. The history is dropped by whoever folds it."""
    connection = await connect(url, seconds=MAX_SECONDS)
    try:
        if await connection.fetchval("SELECT pg_try_advisory_lock($1)", _LOCK):
            await connection.execute(_PATIENCE)
            await make_partitions(connection, now)
            await drop_partitions(connection, now - retention_seconds, _EVENTS)
    finally:
        await connection.close()


async def make_partitions(connection: asyncpg.Connection, now: int) -> list[str]:
    """Makes those of the present and of what is to come that are missing; returns their names."""
    made = []
    for table, cut in CUTS.items():
        present = partition_start(table, now)
        wanted = {present + ahead * cut.seconds for ahead in range(cut.ahead + 1)}
        for start in sorted(wanted - set(await partition_starts(connection, table))):
            await make_partition(connection, table, start)
            made.append(partition_name(table, start))
    return made


async def make_partition(connection: asyncpg.Connection, table: str, start: int) -> None:
    """With the rows that came before there was one."""
    cut, name, rest = CUTS[table], partition_name(table, start), _rest(table)
    low, high = cut.first(start), cut.first(start + cut.seconds)
    bounds = f"FOR VALUES FROM ('{low}') TO ('{high}')"
    within = f"FROM {rest} WHERE {cut.column} >= '{low}' AND {cut.column} < '{high}'"
    async with connection.transaction():
        # In the order in which writers take them; so that no row comes between looking and making.
        await connection.execute(f"LOCK TABLE ONLY {table} IN ACCESS EXCLUSIVE MODE")
        await connection.execute(f"LOCK TABLE {rest} IN ACCESS EXCLUSIVE MODE")
        if await connection.fetchval("SELECT to_regclass($1)", name) is not None:
            return
        if not await connection.fetchval(f"SELECT EXISTS (SELECT 1 {within})"):
            await connection.execute(f"CREATE TABLE {name} PARTITION OF {table} {bounds}")
            return
        await connection.execute(f"CREATE TABLE {name} (LIKE {table} INCLUDING ALL)")
        await connection.execute(
            f"WITH moved AS (DELETE {within} RETURNING *) INSERT INTO {name} SELECT * FROM moved"  # noqa: S608
        )
        await connection.execute(f"ALTER TABLE {table} ATTACH PARTITION {name} {bounds}")


async def drop_partitions(connection: asyncpg.Connection, before: int, tables: Iterable[str]) -> list[str]:
    """Drops what ended before this moment, and clears the default partitions of the same time."""
    dropped = []
    for table in tables:
        cut = CUTS[table]
        for start in await partition_starts(connection, table):
            if start + cut.seconds <= before:
                name = partition_name(table, start)
                await connection.execute(f"DROP TABLE {name}")
                dropped.append(name)
        await connection.execute(f"DELETE FROM {_rest(table)} WHERE {cut.column} < $1", cut.first(before))  # noqa: S608
    return dropped


def _rest(table: str) -> str:
    """Where rows go that belong to no other partition."""
    return f"{table}_default"
