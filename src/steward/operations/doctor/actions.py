"""Goes through everything that must be true, one after the other, and says of each whether it is."""

import time
from collections.abc import Callable

import asyncpg

from steward import __version__
from steward.events.feed.queries import is_behind
from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.db.partitions import missing_partitions, partition_start, tables_with_strays
from steward.kit.security.encryption import Encryption, WrongKeyError
from steward.migrations.migrate import migration_files
from steward.operations.backup.queries import migrations
from steward.operations.doctor import queries, rules
from steward.operations.doctor.model import SHOWN, Circumstances, Finding, State
from steward.operations.secrets.model import SEALED
from steward.operations.secrets.queries import sealed_values

_STATEMENT_SECONDS = 120

OnFinding = Callable[[Finding], None]


async def examine(url: str, encryption: Encryption, circumstances: Circumstances, note: OnFinding) -> None:
    """What needs another schema than the database has is not asked."""
    async with await connect(url, seconds=_STATEMENT_SECONDS) as connection:
        await connection.execute("SET default_transaction_read_only TO on")
        note(await _clocks(connection))
        note(rules.judge_transaction_age(*await queries.transaction_age(connection)))
        note(schema := await _schema(connection))
        if schema.state is not State.FAIL:
            note(await _partitions(connection, circumstances.now))
            note(rules.judge_strays(await tables_with_strays(connection, circumstances.now)))
            note(await _secrets(connection, encryption))
            await _run_checks(connection, circumstances, note)


async def _clocks(connection: DatabaseConnection) -> Finding:
    before = time.time()
    database = await queries.database_clock(connection)
    return rules.judge_clocks(before, database, time.time())


async def _schema(connection: DatabaseConnection) -> Finding:
    known = {number: file for number, (file, _) in migration_files().items()}
    applied = await migrations(connection)
    # What older schemas don't have can't be asked for.
    behind = known.keys() <= applied.keys() and await is_behind(connection)
    return rules.judge_schema(__version__, known, applied, is_behind=behind)


async def _partitions(connection: DatabaseConnection, now: int) -> Finding:
    missing = await missing_partitions(connection, now)
    without_present = [table for table, start in missing if start == partition_start(table, now)]
    return rules.judge_partitions(without_present, (table for table, _ in missing))


async def _secrets(connection: DatabaseConnection, encryption: Encryption) -> Finding:
    """Looks at all of them: what an interrupted `rotate-key` has left comes last. Ends early where enough can't be opened."""
    unopened: list[str] = []
    older: list[str] = []
    for sealed in SEALED:
        async for value in sealed_values(connection, sealed):
            where = f"{sealed.table} {' '.join(value.key)}"
            try:
                if not encryption.is_current(value.purpose, value.sealed) and len(older) < SHOWN:
                    older.append(where)
            except WrongKeyError:
                unopened.append(where)
                if len(unopened) == SHOWN:
                    return rules.judge_secrets(unopened, older)
    return rules.judge_secrets(unopened, older)


async def _run_checks(connection: DatabaseConnection, circumstances: Circumstances, note: OnFinding) -> None:
    values = circumstances.values()
    for check in queries.CHECKS:
        try:
            evidence = await queries.evidence(connection, check, [values[name] for name in check.given])
        except asyncpg.PostgresError as error:
            note(Finding(check.name, State.WARN, check.sentence, [f"this can't be asked: {error}"]))
        else:
            note(check.judge(evidence))
