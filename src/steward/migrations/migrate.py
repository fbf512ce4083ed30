"""Brings a database to the schema of this code: plain SQL files, forward only, from any number of processes."""

import asyncio
import re
import time
from collections.abc import Mapping
from importlib.resources import files

import asyncpg

from steward import migrations
from steward.kit.db.advisory_locks import MIGRATIONS
from steward.kit.db.connection import (
    DATABASE_AWAY,
    PATIENT_SECONDS,
    DatabaseConnection,
    connect,
    has_citus,
    is_distributed,
)
from steward.kit.db.partitions import make_partitions
from steward.kit.runtime import clock
from steward.migrations.distribution import SEQUENTIAL, TableKinds, distribute_new_tables, distribute_tables

# A statement that rewrites a large table takes its time. So does another process that is at it.
_STATEMENT_SECONDS = 600
_LOCK_PAUSE_SECONDS = 0.2

_ADVICE = "bring back a backup from before that, or begin with an empty database"

_MAKE_REGISTER = (
    "CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL)"
)

_NAME = re.compile(r"(\d{4})_\w+\.sql")
_MIN_SERVER_VERSION = 150000


class MigrationError(Exception):
    """The database can't be brought to this schema; the message says why."""


def migration_files() -> dict[int, tuple[str, str]]:
    """Number → (file name, text), in order."""
    found = {}
    for file in files(migrations).iterdir():
        if match := _NAME.fullmatch(file.name):
            found[int(match[1])] = (file.name, file.read_text(encoding="utf-8"))
    return dict(sorted(found.items()))


def statements(text: str) -> list[str]:
    """A file's statements one by one, since a sharded server takes no several in one message.

    A semicolon at the end of a line ends one, unless it stands between two `$$`.
    """
    found, begun = [], ""
    for line in re.sub(r"--[^\n]*", "", text).splitlines(keepends=True):
        begun += line
        if begun.count("$$") % 2 == 0 and line.rstrip().endswith(";"):
            found.append(begun.strip().removesuffix(";").rstrip())
            begun = ""
    return [each for each in (*found, begun.strip()) if each]


async def migrate(url: str, kinds: TableKinds, *, distribute: bool = False) -> list[str]:
    """Applies what is missing; returns the names of the files that it applied. Where it shall `distribute`, the tables are
    spread over the servers of a Citus cluster then; where they are already, new ones are in any case."""
    async with await connect(url, timeout=PATIENT_SECONDS) as connection:
        return await _migrate(connection, kinds, distribute=distribute)


async def require_migrated(connection: DatabaseConnection) -> None:
    """Every file of this code was applied. One that a newer version applied beside them does no harm: while a deployment is
    renewed, processes of both run."""
    done: set[int] = set()
    if await connection.fetchval("SELECT to_regclass('schema_migrations') IS NOT NULL"):
        done = {number for (number,) in await connection.fetch("SELECT number FROM schema_migrations")}
    missing = [name for number, (name, _) in migration_files().items() if number not in done]
    if missing:
        what = f"it lacks {missing[0]}" if done else "it is empty"
        raise MigrationError(f"the database is not migrated to this version ({what}): run `steward migrate`")


async def _migrate(connection: DatabaseConnection, kinds: TableKinds, *, distribute: bool) -> list[str]:
    if int(await connection.fetchval("SHOW server_version_num")) < _MIN_SERVER_VERSION:
        raise MigrationError("Steward needs PostgreSQL 15 or newer")
    if distribute and not await has_citus(connection):
        raise MigrationError(
            "the tables can't be distributed: this database has no Citus; on the coordinator and on every worker, "
            "run CREATE EXTENSION citus in the database, and then SELECT citus_add_node(…) for each worker"
        )
    await _lock(connection)
    await connection.execute(f"SET statement_timeout = '{_STATEMENT_SECONDS}s'")
    connection.set_statement_seconds(_STATEMENT_SECONDS)
    await connection.execute(_MAKE_REGISTER)
    done = dict(await connection.fetch("SELECT number, name FROM schema_migrations"))
    known = migration_files()
    _check_applied(done, {number: name for number, (name, _) in known.items()})
    applied = []
    for number, (name, text) in known.items():
        if number not in done:
            await _apply(connection, number, name, text, kinds)
            applied.append(name)
    if distribute or await is_distributed(connection):
        await distribute_tables(connection, kinds)
    await make_partitions(connection, clock.now())
    return applied


async def _lock(connection: DatabaseConnection) -> None:
    """Held by the session, so that a second process waits here and then finds nothing left to do.

    Asked for again and again: a statement that waits in the server looks the same as a server that is gone.
    """
    deadline = time.monotonic() + _STATEMENT_SECONDS
    while not await connection.fetchval(f"SELECT pg_try_advisory_lock({MIGRATIONS})"):
        if time.monotonic() > deadline:
            raise MigrationError(
                "another process migrates this database and doesn't finish; end it and try again"
            )
        await asyncio.sleep(_LOCK_PAUSE_SECONDS)


def _check_applied(done: Mapping[int, str], known: Mapping[int, str]) -> None:
    """What was applied must be what this code would have applied."""
    for number, name in sorted(done.items()):
        if number in known and name != known[number]:
            raise MigrationError(
                f"the database has {name} where this Steward has {known[number]}: it was used with a version "
                f"that was not released; {_ADVICE}"
            )
    if unknown := done.keys() - known.keys():
        raise MigrationError(
            f"the database is newer than this Steward: it has migration {done[max(unknown)]}, "
            f"this code ends at {max(known)}; install a newer version, "
            f"or, if the database was used with one that was not released, {_ADVICE}"
        )


async def _apply(
    connection: DatabaseConnection, number: int, name: str, text: str, kinds: TableKinds
) -> None:
    try:
        async with connection.transaction():
            # A sharded server needs these to add tables that point both at tenant and at reference tables.
            for setting in SEQUENTIAL:
                await connection.execute(setting)
            distributed = await is_distributed(connection)
            for statement in statements(text):
                await connection.execute(statement)
            if distributed:
                await distribute_new_tables(connection, kinds)
            register = "INSERT INTO schema_migrations (number, name) VALUES ($1, $2)"
            await connection.execute(register, number, name)
    except DATABASE_AWAY:
        raise
    except asyncpg.PostgresError as error:
        raise MigrationError(
            f"{name} can't be applied, and changed nothing: {error}; if the database was used with a version "
            f"that was not released, {_ADVICE}"
        ) from error
