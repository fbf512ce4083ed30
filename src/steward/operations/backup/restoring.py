"""Brings a backup back into an empty database: as a whole, or not at all."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import asyncpg
import msgspec

from steward.kit.db.connection import DatabaseConnection, connect
from steward.migrations.migrate import apply_files, migration_files
from steward.operations.backup import queries, rules
from steward.operations.backup.actions import COPY_SECONDS
from steward.operations.backup.model import (
    BackupError,
    Contents,
    DumpedTable,
    OnProgress,
    Preamble,
    Totals,
)
from steward.operations.backup.new_file import named
from steward.operations.backup.records import (
    DumpRecord,
    RecordKind,
    read_contents,
    read_records,
    read_totals,
)
from steward.operations.backup.sealed_file import SealedReader

# Whoever follows the change feed may have read on after the backup was made. What is stored from now on comes after all that
# they can have seen: no database makes so many transactions in between.
_SKIPPED_POSITIONS = 1 << 32


class CheckedBackup(msgspec.Struct, frozen=True):
    """A backup that was read from its beginning to its end, and found whole."""

    path: Path
    passphrase: str
    preamble: Preamble
    contents: Contents
    totals: Totals
    # The number of its last migration.
    schema: int


def check_backup(path: Path, passphrase: str) -> CheckedBackup:
    with _records(path, passphrase) as (reader, records):
        contents = read_contents(next(records, None))
        last = _last(records)
        totals = read_totals(last)
        known = {number: name for number, (name, _) in migration_files().items()}
        schema = rules.require_known_schema(reader.preamble.steward, contents.migrations, known)
        return CheckedBackup(path, passphrase, reader.preamble, contents, totals, schema)


def _last(records: Iterator[DumpRecord]) -> DumpRecord:
    last = None
    for last in records:  # noqa: B007 (the loop is for its end)
        pass
    if last is None:
        raise BackupError("the backup ends after its contents")
    return last


@contextmanager
def _records(path: Path, passphrase: str) -> Iterator[tuple[SealedReader, Iterator[DumpRecord]]]:
    with named(path, "read"):
        file = path.open("rb")
    with file:
        reader = SealedReader(path, file)
        reader.open(passphrase)
        yield reader, read_records(reader)


async def restore_backup(
    url: str, backup: CheckedBackup, on_progress: OnProgress, place_keys: Callable[[Sequence[bytes]], None]
) -> None:
    """In one transaction: who is interrupted leaves the database as empty as it was. The keys are in place before anything
    can be seen: a database without them would be of little use."""
    connection = await connect(url, seconds=COPY_SECONDS)
    try:
        async with connection.transaction():
            if (found := await queries.anything(connection)) is not None:
                raise BackupError(
                    f"the database is not empty (it has {found}): a backup is restored into an empty one only"
                )
            await _make_schema(connection, backup)
            await _fill(connection, backup, on_progress)
            await _check_counts(connection, backup.totals)
            await queries.skip_positions(connection, _SKIPPED_POSITIONS)
            place_keys(backup.contents.secret_keys)
    except asyncpg.OutOfMemoryError as error:
        raise BackupError(
            f"the server has no room for as many tables in one transaction ({error}): raise max_locks_per_transaction"
        ) from None
    finally:
        await connection.close()


async def _make_schema(connection: DatabaseConnection, backup: CheckedBackup) -> None:
    await apply_files(connection, until=backup.schema)
    for partition in backup.contents.partitions:
        await queries.make_partition(connection, partition)
    await queries.empty_tables(connection, [table.name for table in backup.contents.tables])


async def _fill(connection: DatabaseConnection, backup: CheckedBackup, on_progress: OnProgress) -> None:
    tables = {table.name: table for table in backup.contents.tables}
    with _records(backup.path, backup.passphrase) as (reader, records):
        next(records)  # the contents
        record: DumpRecord | None = next(records, None)
        done = 0
        while record is not None and record.kind is RecordKind.TABLE:
            table = tables[record.data.decode()]
            on_rows = partial(_report, on_progress, reader, table.name, done, backup.totals.all_rows)
            rows = _TableRows(records, on_rows)
            done += await _fill_table(connection, table, rows, backup.totals)
            record = rows.following
    for name, last in backup.totals.sequences.items():
        if last is not None:
            await queries.set_sequence(connection, name, last)


def _report(
    on_progress: OnProgress, reader: SealedReader, table: str, done: int, expected: int, seen: int
) -> None:
    on_progress(table, done + seen, expected, reader.size)


async def _fill_table(
    connection: DatabaseConnection, table: DumpedTable, rows: "_TableRows", totals: Totals
) -> int:
    filled = await queries.copy_in(connection, table, rows)
    if filled != totals.rows[table.name]:
        raise BackupError(f"{table.name} has {filled} rows instead of the backup's {totals.rows[table.name]}")
    return filled


class _TableRows:
    """The rows of one table, until a record of another kind follows."""

    def __init__(self, records: Iterator[DumpRecord], on_rows: Callable[[int], None]) -> None:
        self.following: DumpRecord | None = None
        self._records = records
        self._on_rows = on_rows
        self._seen = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for record in self._records:
            if record.kind is not RecordKind.ROWS:
                self.following = record
                return
            self._seen += record.data.count(b"\n")
            self._on_rows(self._seen)
            yield record.data


async def _check_counts(connection: DatabaseConnection, totals: Totals) -> None:
    for table, expected in totals.rows.items():
        if (found := await queries.count(connection, table)) != expected:
            raise BackupError(f"{table} has {found} rows instead of the backup's {expected}")
