"""One connection to PostgreSQL. Statements are prepared once and then only bound, which halves the cost of a short one."""

from typing import Any

import asyncpg
import msgspec

from steward.kit.sql import Row, Sql

# A sharded server hides its shards from catalogue queries, which makes type look-ups slow; a plain one ignores that line.
_SERVER_SETTINGS = {
    "application_name": "steward",
    "statement_timeout": "60s",
    "citus.override_table_visibility": "off",
}


class ConnectionLostError(OSError):
    """The server went away under a statement."""


# What is raised when the server is away, going away or full, as opposed to when it dislikes a statement.
DATABASE_AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.QueryCanceledError,
)

# A migration has changed a table under a statement that was prepared before it.
_OUTDATED = (asyncpg.InvalidCachedStatementError, asyncpg.OutdatedSchemaCacheError)


class Connection(asyncpg.Connection):  # type: ignore[misc]
    __slots__ = ("_prepared",)

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._prepared: dict[str, Any] = {}

    async def run(self, sql: Sql, *args: Any) -> list[Row]:
        try:
            statement = self._prepared.get(sql)
            if statement is None:
                statement = self._prepared[sql] = await self.prepare(sql)
            return await statement.fetch(*args)  # type: ignore[no-any-return]
        except _OUTDATED:
            self._prepared.clear()
            if self.is_in_transaction():
                raise
            return await self.fetch(sql, *args)  # type: ignore[no-any-return]
        except Exception as error:
            self.give_up_if_lost(error)
            raise

    def give_up_if_lost(self, error: Exception) -> None:
        """Closes a connection that is of no more use, and says so in one way."""
        if isinstance(error, asyncpg.InterfaceError) and not self.is_closed():
            return  # the driver was misused; the connection is fine
        if isinstance(error, (*DATABASE_AWAY, asyncpg.InterfaceError, asyncpg.InternalClientError)):
            if not self.is_closed() and not isinstance(error, asyncpg.QueryCanceledError):
                self.terminate()
            raise ConnectionLostError(str(error)) from error


async def connect(url: str, *, timeout: float = 10) -> Connection:
    connection: Connection = await asyncpg.connect(
        url, connection_class=Connection, server_settings=_SERVER_SETTINGS, timeout=timeout
    )
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=_to_json, decoder=msgspec.json.decode
    )
    return connection


def _to_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
