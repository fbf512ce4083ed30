"""Tables partitioned by time: partitions are made in advance, and dropped as a whole when they are old."""

import datetime as dt
from collections.abc import Callable
from functools import partial

import asyncpg
import msgspec

from steward.kit.db.advisory_locks import PARTITIONS
from steward.kit.db.connection import connect
from steward.kit.db.sql import sql
from steward.kit.db.transaction import Database

HOUR_SECONDS = 3600
DAY_SECONDS = 86_400

# The time limit of statements that move, drop or fold the rows of many hours.
MAX_SECONDS = 600
# A statement that waits for a table lock blocks all that come later, behind a backup for hours. So it gives up and is tried again, long
# before those time out.
PATIENCE_SECONDS = 0.5
_NAMES = sql(
    """SELECT p.relname, c.relname FROM pg_inherits i
       JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
       WHERE i.inhparent = ANY ($1::text[]::regclass[])"""
)


class Partitioning(msgspec.Struct, frozen=True):
    """How a table is partitioned: by `column`, with `first` as its least value at or after a moment; into partitions of `seconds`, named by
    `name_format`; `ahead` of them in advance. Without a retention, the slice drops its partitions itself."""

    column: str
    first: Callable[[int], str | int]
    seconds: int
    ahead: int
    name_format: str
    retention_seconds: int | None = None


class UnregisteredTableError(Exception):
    """A partitioned table without a registered partitioning: it would get no partitions."""


_registered: dict[str, Partitioning] = {}


def register_partitions(table: str, partitioning: Partitioning) -> None:
    """Called by the slice of the table."""
    if table in _registered:
        raise ValueError(f"the partitions of {table} are registered twice")
    _registered[table] = partitioning


def first_id(prefix: str, moment: float) -> str:
    """Sorts before every identifier made at or after this moment, in Unix seconds."""
    return f"{prefix}_{int(moment * 1_000_000):014x}"


def id_second(id: str) -> int:
    """The Unix second in which an identifier was made."""
    return int(id.partition("_")[2][:14], 16) // 1_000_000


def first_hour(moment: int) -> int:
    """Hours are counted from 1970."""
    return -(-moment // HOUR_SECONDS)


def daily_by_id(column: str, prefix: str, *, retention_seconds: int) -> Partitioning:
    """A day is a range of identifiers, because these sort by time."""
    return Partitioning(column, partial(first_id, prefix), DAY_SECONDS, 7, "%Y%m%d", retention_seconds)


def partition_start(table: str, moment: int) -> int:
    return moment - moment % _registered[table].seconds


def partition_name(table: str, start: int) -> str:
    return f"{table}_{dt.datetime.fromtimestamp(start, dt.UTC):{_registered[table].name_format}}"


async def partition_starts(connection: asyncpg.Connection, table: str) -> list[int]:
    """Of the partitions of a table, the oldest first."""
    name_format = f"{table}_{_registered[table].name_format}"
    names = await connection.fetch(
        "SELECT c.relname FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = $1::regclass",
        table,
    )
    moments = (
        dt.datetime.strptime(f"{name} +0000", f"{name_format} %z")
        for (name,) in names
        if name != _default(table)
    )
    return sorted(int(moment.timestamp()) for moment in moments)


async def partitions_until(db: Database, now: int) -> dict[str, int]:
    """By table, the end of its partitions from now on without a gap."""
    named = {(table, name) for table, name in await db.fetch(_NAMES, list(_registered))}
    until = {}
    for table, partitioning in _registered.items():
        end = partition_start(table, now)
        while (table, partition_name(table, end)) in named:
            end += partitioning.seconds
        until[table] = max(end, now)
    return until


async def keep_partitions(url: str, now: int) -> None:
    """Run by the worker periodically, on one worker at a time."""
    connection = await connect(url, seconds=MAX_SECONDS)
    try:
        if await connection.fetchval("SELECT pg_try_advisory_lock($1)", PARTITIONS):
            await connection.execute(f"SET lock_timeout = '{PATIENCE_SECONDS}s'")
            await make_partitions(connection, now)
            for table, partitioning in _registered.items():
                if partitioning.retention_seconds is not None:
                    await drop_partitions(connection, table, now - partitioning.retention_seconds)
    finally:
        await connection.close()


async def make_partitions(connection: asyncpg.Connection, now: int) -> list[str]:
    """Makes the missing ones from the present on; returns their names."""
    await _require_registered(connection)
    made = []
    for table, start in await missing_partitions(connection, now):
        await make_partition(connection, table, start)
        made.append(partition_name(table, start))
    return made


async def missing_partitions(connection: asyncpg.Connection, now: int) -> list[tuple[str, int]]:
    """Table and start of each partition that is missing from the present on."""
    missing = []
    for table, partitioning in _registered.items():
        present = partition_start(table, now)
        wanted = {present + ahead * partitioning.seconds for ahead in range(partitioning.ahead + 1)}
        missing += [
            (table, start) for start in sorted(wanted - set(await partition_starts(connection, table)))
        ]
    return missing


async def tables_with_strays(connection: asyncpg.Connection, now: int) -> list[str]:
    """Tables with rows of the present or later in the default partition. Older rows may stay there."""
    found = []
    for table, partitioning in _registered.items():
        strays = f"SELECT EXISTS (SELECT 1 FROM {_default(table)} WHERE {partitioning.column} >= $1)"  # noqa: S608
        if await connection.fetchval(strays, partitioning.first(partition_start(table, now))):
            found.append(table)
    return found


async def _require_registered(connection: asyncpg.Connection) -> None:
    rows = await connection.fetch(
        """SELECT c.relname FROM pg_partitioned_table p JOIN pg_class c ON c.oid = p.partrelid
           WHERE c.relnamespace = current_schema()::regnamespace"""
    )
    if unknown := {name for (name,) in rows} - _registered.keys():
        raise UnregisteredTableError(f"no partitioning is registered for {', '.join(sorted(unknown))}")


async def make_partition(connection: asyncpg.Connection, table: str, start: int) -> None:
    """With its rows from the default partition."""
    partitioning, name, default = _registered[table], partition_name(table, start), _default(table)
    column = partitioning.column
    low, high = partitioning.first(start), partitioning.first(start + partitioning.seconds)
    bounds = f"FOR VALUES FROM ('{low}') TO ('{high}')"
    within = f"FROM {default} WHERE {column} >= '{low}' AND {column} < '{high}'"
    async with connection.transaction():
        # In the order in which writers lock them; so that no row comes in between.
        await connection.execute(f"LOCK TABLE ONLY {table} IN ACCESS EXCLUSIVE MODE")
        await connection.execute(f"LOCK TABLE {default} IN ACCESS EXCLUSIVE MODE")
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


async def drop_partitions(connection: asyncpg.Connection, table: str, before: int) -> list[str]:
    """Drops partitions that ended before this moment, and deletes older rows of the default partition."""
    partitioning = _registered[table]
    dropped = []
    for start in await partition_starts(connection, table):
        if start + partitioning.seconds <= before:
            name = partition_name(table, start)
            await connection.execute(f"DROP TABLE {name}")
            dropped.append(name)
    await connection.execute(
        f"DELETE FROM {_default(table)} WHERE {partitioning.column} < $1",  # noqa: S608
        partitioning.first(before),
    )
    return dropped


def _default(table: str) -> str:
    """The partition of rows that belong to no other."""
    return f"{table}_default"
