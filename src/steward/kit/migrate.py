"""Brings a database to the schema of this code: plain SQL files, forward only, from any number of processes."""

import re
from importlib.resources import files

import asyncpg

from steward import migrations
from steward.kit import clock
from steward.kit.db import connect
from steward.kit.partitions import make_partitions

# Any number will do, as long as nobody else takes it.
_LOCK = 0x57E3A2D

_NAME = re.compile(r"(\d{4})_\w+\.sql")
_OLDEST_SERVER = 150000


class MigrationError(Exception):
    """The database can't be brought to this schema; the message says why."""


def all_files() -> dict[int, tuple[str, str]]:
    """Number → (file name, text), in order."""
    found = {}
    for file in files(migrations).iterdir():
        if match := _NAME.fullmatch(file.name):
            found[int(match[1])] = (file.name, file.read_text(encoding="utf-8"))
    return dict(sorted(found.items()))


def statements(text: str) -> list[str]:
    """A file's statements one by one, since a sharded server takes no several in one message.

    Our files hold no functions, so that a semicolon at the end of a line always ends a statement.
    """
    without_comments = re.sub(r"--[^\n]*", "", text)
    return [part.strip() for part in re.split(r";[ \t]*(?:\n|$)", without_comments) if part.strip()]


async def migrate(url: str) -> list[str]:
    """Applies what is missing; returns the names of the files that it applied."""
    connection = await connect(url)
    try:
        return await _migrate(connection)
    finally:
        await connection.close()


async def _migrate(connection: asyncpg.Connection) -> list[str]:
    if int(await connection.fetchval("SHOW server_version_num")) < _OLDEST_SERVER:
        raise MigrationError("Steward needs PostgreSQL 15 or newer")
    # Held by the session, so that a second process waits here and then finds nothing left to do.
    await connection.execute(f"SELECT pg_advisory_lock({_LOCK})")
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL)"
    )
    done = {row["number"] for row in await connection.fetch("SELECT number FROM schema_migrations")}
    known = all_files()
    if unknown := done - known.keys():
        raise MigrationError(
            f"the database is newer than this Steward: it has migration {max(unknown)}, "
            f"this code ends at {max(known)}; install a newer version"
        )
    applied = []
    for number, (name, text) in known.items():
        if number not in done:
            await _apply(connection, number, name, text)
            applied.append(name)
    await make_partitions(connection, clock.now())
    return applied


async def _apply(connection: asyncpg.Connection, number: int, name: str, text: str) -> None:
    async with connection.transaction():
        # A sharded server needs these to add tables that point both at tenant and at reference tables.
        await connection.execute("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")
        await connection.execute("SET LOCAL citus.enable_local_reference_table_foreign_keys TO off")
        for statement in statements(text):
            await connection.execute(statement)
        await connection.execute("INSERT INTO schema_migrations (number, name) VALUES ($1, $2)", number, name)
