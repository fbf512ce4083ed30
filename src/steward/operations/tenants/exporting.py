"""Writes everything of one organization into a zip of NDJSON files, as it is at one moment."""

import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from steward import __version__
from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.db.transaction import Transaction
from steward.kit.domain.problems import NotFound
from steward.kit.security.caller import TenantId
from steward.operations.backup.model import BackupError
from steward.operations.backup.new_file import new_file
from steward.operations.backup.queries import migrations
from steward.operations.tenants import queries, rules
from steward.operations.tenants.model import NOT_EXPORTED, OWNED, ExportedFile, Manifest, OnRows
from steward.telemetry.raw.actions import export as export_readings
from steward.telemetry.raw.model import RawExportQuery
from steward.telemetry.raw.rules import ndjson_lines

_STATEMENT_SECONDS = 7 * 86_400


async def export_organization(
    url: str, tenant: TenantId, path: Path, on_file: OnRows, *, now: int
) -> Manifest:
    """Under its name the file is whole, or there is none."""
    async with (
        await connect(url, seconds=_STATEMENT_SECONDS) as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        name = await queries.name(connection, tenant)
        if name is None:
            raise NotFound(f"There is no organization {tenant}.")
        with _new_archive(path) as archive:
            files = [file async for file in _files(connection, archive, tenant, now, on_file)]
            schema = max(await migrations(connection))
            manifest = Manifest(tenant, name, __version__, schema, now, files, dict(NOT_EXPORTED))
            archive.writestr("README.txt", rules.README)
            encoded = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
            archive.writestr("manifest.json", encoded)
        return manifest


@contextmanager
def _new_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with new_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            yield archive
    except OSError as error:
        # What is said of the connection to the database is not said of the file.
        if error.errno is None or isinstance(error, ConnectionError):
            raise
        raise BackupError(f"{path} can't be written: {error.strerror}") from error


async def _files(
    connection: DatabaseConnection, archive: zipfile.ZipFile, tenant: TenantId, now: int, on_file: OnRows
) -> AsyncIterator[ExportedFile]:
    for table in sorted(set(OWNED) - NOT_EXPORTED.keys()):
        shown, left_out = rules.exported_columns(table, await queries.columns(connection, table))
        found = queries.rows(connection, table, shown, tenant)
        pieces = (rules.line(dict(row)) async for row in found)
        yield await _write(archive, f"data/{table}.ndjson", pieces, left_out, on_file)
    people = (rules.line(dict(row)) async for row in queries.accounts(connection, tenant))
    yield await _write(archive, "data/accounts.ndjson", people, ["password_hash"], on_file)
    readings = export_readings(Transaction(connection), tenant, RawExportQuery(), ndjson_lines, now=now)
    yield await _write(archive, "data/readings.ndjson", readings, [], on_file)


async def _write(
    archive: zipfile.ZipFile,
    name: str,
    pieces: AsyncIterator[bytes],
    left_out: list[str],
    on_file: OnRows,
) -> ExportedFile:
    count = 0
    with archive.open(name, "w", force_zip64=True) as file:
        async for piece in pieces:
            file.write(piece)
            count += piece.count(b"\n")
    on_file(name, count)
    return ExportedFile(name, count, left_out)
