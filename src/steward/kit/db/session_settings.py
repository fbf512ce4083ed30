"""What a server process is told of deadlines: once for a session, or with each transaction where there is no session.

A pooler may give every transaction to another server process. Whatever is set there for longer meets somebody else.
"""

from typing import Any, Protocol

from steward.kit.db.sql import Row

# When the way between us is cut, the server doesn't notice, and a transaction keeps its locks until it is told otherwise.
IDLE_IN_TRANSACTION_SECONDS = 10


def session_settings(seconds: float, idle_seconds: int, pid: int | None) -> str:
    """Sets them all, and gives a row for each; nothing and none where a process other than `pid` answers.

    That is how a pooler is noticed: the number that it tells when a connection is made is none of the server's.
    """
    settings = {
        # A sharded server hides its shards from catalogue queries, which makes type look-ups slow; a plain one ignores it.
        "citus.override_table_visibility": "off",
        # What goes over several shards goes over one after the other: who has looked at several at once can't change a table
        # any more that stands on every server, and be it by a foreign key.
        "citus.multi_shard_modify_mode": "sequential",
        "statement_timeout": f"{seconds}s",
        "idle_in_transaction_session_timeout": f"{IDLE_IN_TRANSACTION_SECONDS}s",
        "idle_session_timeout": f"{idle_seconds}s",
    }
    values = ", ".join(f"('{name}', '{value}')" for name, value in settings.items())
    condition = "" if pid is None else f" WHERE pg_backend_pid() = {pid}"
    return f"SELECT set_config(name, value, false) FROM (VALUES {values}) AS s (name, value){condition}"  # noqa: S608


def local_deadlines(seconds: float) -> str:
    """For the transaction in which it is said."""
    return (
        f" SET LOCAL statement_timeout = '{seconds}s';"
        f" SET LOCAL idle_in_transaction_session_timeout = '{IDLE_IN_TRANSACTION_SECONDS}s'"
    )


class _Edition:
    """What is added to the texts of statements after a migration has changed the tables under them.

    A pooler knows a prepared statement by its text, and goes on giving out the outdated one for the same text.
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
    """A statement with a deadline of its own, which ends with its transaction. It costs two more round trips, and is therefore
    for rare ones."""

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
            # One that has failed takes the setting back with it, at its end. Who is cancelled ends the connection.
            if not within and not connection.is_closed():
                await connection.execute("ROLLBACK")
            raise
        finally:
            connection.set_statement_seconds(usual)
        await connection.execute(f"SET LOCAL statement_timeout = '{usual}s'" if within else "COMMIT")
        return rows
