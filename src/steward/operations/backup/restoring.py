"""Restores a backup into an empty database: as a whole, or not at all."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from steward.kit.db.connection import DatabaseConnection, connect, has_citus
from steward.migrations.migrate import migration_files
from steward.operations.backup import model, queries, rules
from steward.operations.backup.archive import SealedBackup
from steward.operations.backup.client_programs import ClientPrograms, Program, client_programs, running
from steward.operations.backup.model import MEBIBYTE, BackupError, BackupManifest, OnProgress

# A reader of the change feed may have read on after the backup was made. What is stored from now on comes after all that
# it can have seen: no database makes so many transactions in between.
_SKIPPED_POSITIONS = 1 << 32
_PIECE = 1 << 16
_MAX_DESCRIPTION = 1 << 24


class CheckedBackup(msgspec.Struct, frozen=True):
    """A backup that was read from its beginning to its end, and found complete."""

    sealed: SealedBackup
    manifest: BackupManifest
    secret_keys: list[bytes]


def check_backup(sealed: SealedBackup) -> CheckedBackup:
    found: dict[str, bytes] = {}
    parts = 0
    with sealed.members() as members:
        for name, content in members:
            if name.startswith(model.DATABASE):
                parts += 1
            elif name in {model.README, model.MANIFEST, model.KEYS}:
                found[name] = content.read(_MAX_DESCRIPTION)
            else:
                raise BackupError(f"{sealed.path} holds {name}, which this version doesn't know")
    if not parts or model.MANIFEST not in found:
        raise BackupError(f"{sealed.path} has no {model.DATABASE} or no {model.MANIFEST}")
    try:
        manifest = msgspec.json.decode(found[model.MANIFEST], type=BackupManifest)
    except msgspec.DecodeError as error:
        raise BackupError(f"{sealed.path} has a manifest that this version can't read: {error}") from None
    rules.require_restorable(manifest, {name for name, _ in migration_files().values()})
    keys = [base64.b64decode(line) for line in found.get(model.KEYS, b"").split()]
    return CheckedBackup(sealed, manifest, keys)


async def restore_backup(
    url: str,
    backup: CheckedBackup,
    on_progress: OnProgress,
    place_keys: Callable[[Sequence[bytes]], None],
    *,
    programs: Iterable[Path],
) -> bool:
    """In one transaction: one that is interrupted leaves the database as empty as it was. Returns whether the tables are to be
    distributed again."""
    async with await connect(url) as connection:
        chosen = await _check_target(connection, backup.manifest, programs)
        distribute = backup.manifest.distributed and await has_citus(connection)
    async with _opened_transaction(chosen, url) as psql:
        await _replay(chosen, backup, psql, on_progress)
        psql.stdin.write(
            queries.finish_restore(backup.manifest, skipped_positions=_SKIPPED_POSITIONS).encode()
        )
        # The keys come before the commit: a database without them would be of little use.
        place_keys(backup.secret_keys)
        psql.stdin.write(b"COMMIT;\n")
        psql.stdin.close()
        await psql.finish()
    return distribute


async def _check_target(
    connection: DatabaseConnection, manifest: BackupManifest, programs: Iterable[Path]
) -> ClientPrograms:
    if found := await queries.relations(connection):
        raise BackupError(
            f"the database is not empty (it has {min(found)}): a backup is restored into an empty one only"
        )
    server, schema = await queries.server(connection)
    rules.require_fitting_server(manifest, server, schema)
    return client_programs(programs, server, manifest.pg_dump)


@asynccontextmanager
async def _opened_transaction(programs: ClientPrograms, url: str) -> AsyncIterator[Program]:
    """A psql that has begun a transaction. It ends without COMMIT when its input does."""
    options = ("--no-psqlrc", "--quiet", "--output=/dev/null", "--set=ON_ERROR_STOP=1")
    async with running(programs, url, "psql", *options) as psql:
        try:
            psql.stdin.write(b"BEGIN;\n")
            yield psql
        except (ConnectionError, RuntimeError):
            # It died, and says why; uvloop raises RuntimeError for a pipe that it has closed already.
            await psql.finish()
            raise


async def _replay(
    programs: ClientPrograms, backup: CheckedBackup, psql: Program, on_progress: OnProgress
) -> None:
    """The dump through pg_restore, which makes SQL of it, into psql."""
    options = ("--no-owner", "--no-privileges", f"--schema={backup.manifest.schema}", "--verbose", "--file=-")
    async with running(programs, None, "pg_restore", *options) as dump:
        feeding = asyncio.create_task(_feed(backup, dump, on_progress))
        try:
            while data := await dump.stdout.read(_PIECE):
                psql.stdin.write(data)
                await psql.stdin.drain()
        except BaseException:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)
            raise
        [failure] = await asyncio.gather(feeding, return_exceptions=True)
        await dump.finish()
    # Of what it doesn't restore pg_restore needs nothing, so it may close its input before the end.
    if failure is not None and not isinstance(failure, ConnectionError | RuntimeError):
        raise failure


async def _feed(backup: CheckedBackup, dump: Program, on_progress: OnProgress) -> None:
    try:
        with backup.sealed.members() as members:
            for name, content in members:
                while name.startswith(model.DATABASE) and (data := content.read(_PIECE)):
                    dump.stdin.write(data)
                    await dump.stdin.drain()
                    read = backup.sealed.read
                    on_progress(f"{read / MEBIBYTE:,.1f} MiB, {dump.table}", read, backup.sealed.size)
    finally:
        dump.stdin.close()
