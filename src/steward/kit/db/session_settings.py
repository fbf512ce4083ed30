"""The settings of a server process: set once for a session, or in each transaction if a pooler gives it another process.

Settings that outlast the transaction would then apply to other clients.
"""

from typing import Any, Protocol

from steward.kit.db.sql import Row

# The server doesn't notice a cut connection, and an idle transaction keeps its locks.
IDLE_IN_TRANSACTION_SECONDS = 10


def session_settings(seconds: float, idle_seconds: int, pid: int | None) -> str:
    """Sets them all and returns a row for each; if another process than `pid` answers, it sets none and returns no row.

    That detects a pooler: it reports a process number of its own when a connection is made.
    """
    settings = {
        # Citus hides its shards from catalog queries, which makes type look-ups slow; a plain server ignores the setting.
        "citus.override_table_visibility": "off",
        # One shard after the other: a transaction that has read several at once can't change a reference table any more, not
        # even by a foreign key.
        "citus.multi_shard_modify_mode": "sequential",
        "statement_timeout": f"{seconds}s",
        "idle_in_transaction_session_timeout": f"{IDLE_IN_TRANSACTION_SECONDS}s",
        "idle_session_timeout": f"{idle_seconds}s",
    }
    values = ", ".join(f"('{name}', '{value}')" for name, value in settings.items())
    condition = "" if pid is None else f" WHERE pg_backend_pid() = {pid}"
    return f"SELECT set_config(name, value, false) FROM (VALUES {values}) AS s (name, value){condition}"  # noqa: S608


def local_deadlines(seconds: float) -> str:
    """For the current transaction."""
    return (
        f" SET LOCAL statement_timeout = '{seconds}s';"
        f" SET LOCAL idle_in_transaction_session_timeout = '{IDLE_IN_TRANSACTION_SECONDS}s'"
    )


class _Edition:
    """A suffix for the texts of statements after a migration has changed their tables.

    A pooler identifies a prepared statement by its text, and would go on using the outdated one.
    """

    def __init__(self) -> None:
        self._number = 0

    def next(self) -> None:
        self._number += 1

    def of(self, sql: str) -> str:
        return f"{sql}\n-- {self._number}" if self._number else sql


EDITION = _Edition()


class SlowConnection(Protocol):
    seconds: float

    async def execute(self, query: str) -> str: ...
    def set_statement_seconds(self, seconds: float) -> None: ...
    def is_in_transaction(self) -> bool: ...
    def is_closed(self) -> bool: ...


class SlowStatement:
    """A statement with a time limit of its own. It costs two more round trips, so it is for rare ones."""

    def __init__(self, connection: SlowConnection, statement: Any, seconds: float) -> None:
        self._connection = connection
        self._statement = statement
        self._seconds = seconds

    async def fetch(self, *args: Any) -> list[Row]:
        connection, usual = self._connection, self._connection.seconds
        if usual >= self._seconds:
            return await self._statement.fetch(*args)  # type: ignore[no-any-return]
        within = connection.is_in_transaction()
        longer = f"SET LOCAL statement_timeout = '{self._seconds}s'"
        await connection.execute(longer if within else f"BEGIN; {longer}")
        connection.set_statement_seconds(self._seconds)
        try:
            rows: list[Row] = await self._statement.fetch(*args)
        except Exception:
            # A rollback resets the setting. A cancelled statement ends the connection.
            if not within and not connection.is_closed():
                await connection.execute("ROLLBACK")
            raise
        finally:
            connection.set_statement_seconds(usual)
        await connection.execute(f"SET LOCAL statement_timeout = '{usual}s'" if within else "COMMIT")
        return rows
