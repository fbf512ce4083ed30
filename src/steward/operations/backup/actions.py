"""Writes a backup: one moment of the whole database, while everything goes on."""

import asyncio
import base64
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from steward import __version__
from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.security.encryption import Encryption
from steward.migrations.migrate import migration_files
from steward.operations.backup import model, queries, rules
from steward.operations.backup.archive import ArchiveWriter, Key, new_archive
from steward.operations.backup.client_programs import ClientPrograms, Program, client_programs, running
from steward.operations.backup.model import MEBIBYTE, WITHOUT_ROWS, BackupError, BackupManifest, OnProgress
from steward.operations.backup.new_file import named, new_file

# Counting a table takes its time, however large it is.
_STATEMENT_SECONDS = 7 * 86_400
_PART = 16 << 20
# A migration that waits for our locks keeps pg_dump from its own.
_LOCK_SECONDS = 60
_README = """\
A backup of Steward {version}. manifest.json says of what, secret.key holds the secret keys, and database/ the parts of one file
of pg_dump. Into an empty database, without Steward:

    cat database/* | pg_restore --no-owner --no-privileges --schema={schema} --dbname=postgresql://...

Then run `steward migrate` with this version or a newer one, and give the first line of secret.key to all processes as
STEWARD_SECRET_KEY.
"""


class Written(msgspec.Struct, frozen=True):
    manifest: BackupManifest
    size: int
    # Tables, views and sequences that aren't ours, which it leaves out.
    left_out: list[str]


class _Source(msgspec.Struct, frozen=True):
    """What pg_dump is to read."""

    manifest: BackupManifest
    snapshot: str
    left_out: list[str]
    other_schemas: list[str]
    # Of every table and partition.
    pages: dict[str, int]


async def write_backup(
    url: str,
    path: Path,
    key: Key,
    secret_keys: Sequence[bytes],
    on_progress: OnProgress,
    *,
    programs: Iterable[Path],
    now: int,
) -> Written:
    """The file gets its name only when it is complete. `programs` are folders that may have pg_dump."""
    async with await connect(url, seconds=_STATEMENT_SECONDS) as connection:
        server, _ = await queries.server(connection)
        chosen = client_programs(programs, server)
        source = await _begin(connection, chosen, secret_keys, now)
        with new_file(path) as file, named(path, "written"):
            with new_archive(file, key, now=now) as archive:
                _describe(archive, source.manifest, secret_keys)
                async with running(chosen, url, "pg_dump", *_arguments(source)) as dump:
                    await _add_dump(archive, dump, source, on_progress)
                    await dump.finish()
            size = os.fstat(file.fileno()).st_size
        return Written(source.manifest, size, source.left_out)


async def _require_usable(connection: DatabaseConnection, secret_keys: Sequence[bytes]) -> None:
    applied = await queries.migrations(connection)
    known = {name for name, _ in migration_files().values()}
    rules.require_known_migrations(__version__, applied.values(), known)
    # They go into the backup, so they have to be those that decrypt what is stored in it.
    if (sealed := await queries.any_secret(connection)) is not None:
        Encryption(*secret_keys).decrypt(*sealed)


async def _begin(
    connection: DatabaseConnection, programs: ClientPrograms, secret_keys: Sequence[bytes], now: int
) -> _Source:
    """The snapshot, and what is in it."""
    known = rules.names_ever_made(text for _, text in migration_files().values())
    found = await queries.relations(connection)
    ours = {name: pages for name, (root, pages) in found.items() if root in known}
    tables = await queries.tables(connection, known)
    if not tables:
        raise BackupError("there is nothing to back up: the database has no tables of Steward")
    snapshot = await queries.begin_snapshot(connection, tables)
    # In the snapshot: a migration may run at any moment before it.
    await _require_usable(connection, secret_keys)
    server, schema = await queries.server(connection)
    manifest = BackupManifest(
        steward=__version__,
        created=now,
        migrations=list((await queries.migrations(connection)).values()),
        postgres=server,
        pg_dump=programs.major,
        schema=schema or "",
        distributed=connection.is_distributed,
        rows=await queries.count(connection, [table for table in tables if table not in WITHOUT_ROWS]),
    )
    left_out = [name for name in found if name not in ours]
    return _Source(manifest, snapshot, left_out, await queries.other_schemas(connection), ours)


def _arguments(source: _Source) -> list[str]:
    return [
        "--format=custom",
        "--compress=3",
        f"--snapshot={source.snapshot}",
        f"--lock-wait-timeout={_LOCK_SECONDS}s",
        "--verbose",
        *(f"--exclude-table-data={table}" for table in WITHOUT_ROWS),
        *(f"--exclude-table={queries.quoted(name)}" for name in source.left_out),
        *(f"--exclude-schema={queries.quoted(name)}" for name in source.other_schemas),
    ]


def _describe(archive: ArchiveWriter, manifest: BackupManifest, secret_keys: Sequence[bytes]) -> None:
    archive.add(model.README, _README.format(version=manifest.steward, schema=manifest.schema).encode())
    archive.add(model.MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2))
    archive.add(model.KEYS, "".join(f"{base64.b64encode(key).decode()}\n" for key in secret_keys).encode())


async def _add_dump(archive: ArchiveWriter, dump: Program, source: _Source, on_progress: OnProgress) -> None:
    expected, done, table, size, number = sum(source.pages.values()), 0, "", 0, 0
    while part := await _read_part(dump.stdout):
        archive.add(f"{model.DATABASE}{number:08}", part)
        number, size = number + 1, size + len(part)
        if dump.table != table:
            done += source.pages.get(table, 0)
            table = dump.table
        on_progress(f"{size / MEBIBYTE:,.1f} MiB, {table}", done, expected)


async def _read_part(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readexactly(_PART)
    except asyncio.IncompleteReadError as error:
        return error.partial
