"""Writes a backup: one moment of the whole database, while everything goes on."""

import secrets
from collections.abc import Sequence
from pathlib import Path

import msgspec

from steward import __version__
from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.security.encryption import Encryption
from steward.migrations.distribution import parents_first
from steward.migrations.migrate import migration_files
from steward.operations.backup import queries, rules
from steward.operations.backup.model import (
    BackupError,
    Contents,
    DumpedTable,
    KeyDerivation,
    OnProgress,
    Preamble,
    Totals,
)
from steward.operations.backup.new_file import new_file, require_new
from steward.operations.backup.records import RecordKind, write_record
from steward.operations.backup.sealed_file import SealedWriter, derive_key, passphrase_check

# A statement goes over a whole table, however large.
COPY_SECONDS = 7 * 86_400


class Written(msgspec.Struct, frozen=True):
    totals: Totals
    size: int
    # Tables that are none of ours, and so are not in it.
    left_out: list[str]


async def write_backup(
    url: str, path: Path, passphrase: str, secret_keys: Sequence[bytes], on_progress: OnProgress, *, now: int
) -> Written:
    """Under its name the file is whole, or there is none."""
    require_new(path)
    connection = await connect(url, seconds=COPY_SECONDS)
    try:
        _require_one_server(connection)
        await queries.begin_snapshot(connection)
        await _require_usable(connection, secret_keys)
        contents, strangers = await _contents(connection, secret_keys)
        preamble, key = _sealing(passphrase, max(await queries.migrations(connection)), now)
        with new_file(path) as file:
            writer = SealedWriter(path, file, preamble, key)
            totals = await _write_contents(connection, writer, contents, on_progress)
        return Written(totals, writer.size, strangers)
    finally:
        await connection.close()


def _require_one_server(connection: DatabaseConnection) -> None:
    if connection.is_distributed:
        raise BackupError(
            "this database is spread over a Citus cluster, whose servers have no moment in common that one "
            "connection could read: back up every node at one restore point (citus_create_restore_point)"
        )


async def _require_usable(connection: DatabaseConnection, secret_keys: Sequence[bytes]) -> None:
    """Asked in the snapshot: somebody may migrate the database at any moment before it."""
    applied = await queries.migrations(connection)
    if not applied:
        raise BackupError("there is nothing to back up: the database has no tables of Steward")
    known = {name for name, _ in migration_files().values()}
    rules.require_known_migrations(__version__, applied.values(), known)
    # They go into the backup, so they have to be those that open what is sealed in it.
    if (sealed := await queries.any_secret(connection)) is not None:
        Encryption(*secret_keys).decrypt(*sealed)


async def _contents(
    connection: DatabaseConnection, secret_keys: Sequence[bytes]
) -> tuple[Contents, list[str]]:
    """With the names of tables that are none of ours."""
    applied = await queries.migrations(connection)
    known = rules.tables_ever_made(text for _, text in migration_files().values())
    tables, strangers = rules.tables_to_dump(await queries.tables(connection), known)
    by_name = {table.name: table for table in tables}
    parents = {name: among & by_name.keys() for name, among in (await queries.references(connection)).items()}
    ordered = [by_name[name] for name in parents_first(by_name, parents)]
    partitions = [each for each in await queries.partitions(connection) if each.table in by_name]
    return Contents(list(secret_keys), list(applied.values()), ordered, partitions), strangers


def _sealing(passphrase: str, schema: int, now: int) -> tuple[Preamble, bytes]:
    """What stands before the sealed part, and the key that seals it."""
    derivation = KeyDerivation(secrets.token_bytes(16))
    key = derive_key(passphrase, derivation)
    preamble = Preamble(
        steward=__version__,
        schema=schema,
        created=now,
        key_derivation=derivation,
        passphrase_check=passphrase_check(key),
    )
    return preamble, key


async def _write_contents(
    connection: DatabaseConnection, writer: SealedWriter, contents: Contents, on_progress: OnProgress
) -> Totals:
    write_record(writer, RecordKind.CONTENTS, msgspec.json.encode(contents))
    totals = await _dump_tables(connection, writer, contents.tables, on_progress)
    write_record(writer, RecordKind.TOTALS, msgspec.json.encode(totals))
    writer.close()
    return totals


async def _dump_tables(
    connection: DatabaseConnection, writer: SealedWriter, tables: list[DumpedTable], on_progress: OnProgress
) -> Totals:
    expected = await queries.expected_rows(connection)
    rows: dict[str, int] = {}
    for table in tables:
        write_record(writer, RecordKind.TABLE, table.name.encode())
        before, seen = sum(rows.values()), 0

        async def write(data: bytes, name: str = table.name, before: int = before) -> None:
            nonlocal seen
            write_record(writer, RecordKind.ROWS, data)
            seen += data.count(b"\n")
            on_progress(name, before + seen, expected, writer.size)

        rows[table.name] = await queries.copy_out(connection, table, write)
    # Read at the end: their numbers are of this moment, and so after all that the rows have.
    return Totals(rows, await queries.sequences(connection))
