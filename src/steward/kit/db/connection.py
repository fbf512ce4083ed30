"""One connection to PostgreSQL. Statements are prepared once and then only bound, which halves the cost of a short one.

Every wait for the server has a deadline: connecting, each statement, closing. A cancelled statement ends its connection, since the driver
would otherwise wait until the server has confirmed the cancellation.
"""

import asyncio
import os
import socket
import time
from typing import Any, ClassVar, Self

import asyncpg
import msgspec

from steward.kit.db.connection_errors import DATABASE_AWAY as DATABASE_AWAY
from steward.kit.db.connection_errors import RECOVERABLE
from steward.kit.db.connection_errors import ConnectionLostError as ConnectionLostError
from steward.kit.db.connection_errors import DatabaseUrlError as DatabaseUrlError
from steward.kit.db.connection_errors import NoAnswerError as NoAnswerError
from steward.kit.db.session_settings import EDITION, SlowStatement, local_deadlines, session_settings
from steward.kit.db.sql import SECONDS, Row, Sql
from steward.kit.db.statement_timeouts import watch_timeouts
from steward.kit.db.violations import as_violation

CONNECT_SECONDS = 2.5
# For a start and for commands of the operator, which rather wait for a busy machine.
PATIENT_SECONDS = 30.0
# The server's time limit for a statement of a request. It reports when it expires, and the connection stays usable.
STATEMENT_SECONDS = 4
_CLOSE_SECONDS = 1.0

# The kernel notices that the other machine is gone, by unconfirmed data and on idle connections.
_KEEPALIVE_OPTIONS = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 2, "TCP_KEEPCNT": 2, "TCP_USER_TIMEOUT": 8_000}


# Callers choose filters and columns, and so which statements there are; each one costs the server memory.
_MAX_PREPARED = 256

# A migration has changed a table under a statement that was prepared before it.
_OUTDATED = (asyncpg.InvalidCachedStatementError, asyncpg.OutdatedSchemaCacheError)


# Whether the tables are distributed over a Citus cluster. The second statement fails without Citus.
_HAS_CITUS = "SELECT to_regclass('pg_dist_partition') IS NOT NULL"
_IS_DISTRIBUTED = (
    "SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('organizations'))"
)


class DatabaseConnection(asyncpg.Connection):  # type: ignore[misc]
    __slots__ = (
        "_prepared",
        "is_distributed",
        "pooled",
        "response_seconds",
        "seconds",
        "server_lost",
        "statement_started",
    )

    # The server is unresponsive if nothing has come so long after a statement's time limit.
    grace_seconds: ClassVar[float] = 0.25

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._prepared: dict[str, Any] = {}
        # Behind a pooler each transaction may have another server process, so that no setting outlasts one.
        self.pooled = False
        self.statement_started = 0.0
        self.set_statement_seconds(STATEMENT_SECONDS)
        # Then other idle connections have probably lost it, too.
        self.server_lost = False
        # Known from the beginning: distributing the tables ends all other connections.
        self.is_distributed = False

    def set_statement_seconds(self, seconds: float) -> None:
        """The time limit for a statement that the server has been given."""
        self.seconds = seconds
        self.response_seconds = seconds + self.grace_seconds

    def enable_keepalive(self) -> None:
        """On a copy of the socket: the driver has no options for these, and the loop's transport shows its socket read-only."""
        with socket.socket(fileno=os.dup(self._transport.get_extra_info("socket").fileno())) as shared:
            if shared.family not in (socket.AF_INET, socket.AF_INET6):
                return
            shared.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            # Not every system knows all of them.
            for name, value in _KEEPALIVE_OPTIONS.items():
                if (option := getattr(socket, name, None)) is not None:
                    shared.setsockopt(socket.IPPROTO_TCP, option, value)

    async def run(self, sql: Sql, *args: Any) -> list[Row]:
        self.statement_started = time.monotonic()
        try:
            statement = self._prepared.get(sql)
            if statement is None:
                statement = self._prepared[sql] = await self._prepare_to_run(sql)
            return await statement.fetch(*args)  # type: ignore[no-any-return]
        except _OUTDATED:
            self._prepared.clear()
            if self.pooled:
                EDITION.next()
            if self.is_in_transaction():
                raise
            return await self.fetch(EDITION.of(sql), *args)  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            self.terminate()
            raise
        except Exception as error:
            self.raise_if_lost(error)
            if self.is_distributed and (violation := as_violation(error)) is not None:
                raise violation from error
            raise
        finally:
            self.statement_started = 0.0

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:
        """With the same time limit as `run`, like all of the driver's own methods."""
        return await self._timed(super().execute(query, *args, timeout=timeout))  # type: ignore[no-any-return]

    async def _execute(self, *args: Any, **more: Any) -> Any:
        return await self._timed(super()._execute(*args, **more))

    async def _timed(self, asking: Any) -> Any:
        within, self.statement_started = bool(self.statement_started), time.monotonic()
        try:
            return await asking
        except asyncio.CancelledError:
            self.terminate()
            raise
        except Exception as error:
            self.raise_if_lost(error)
            raise
        finally:
            self.statement_started = time.monotonic() if within else 0.0

    async def _prepare_to_run(self, sql: Sql) -> Any:
        if len(self._prepared) >= _MAX_PREPARED:
            del self._prepared[next(iter(self._prepared))]
        statement = await self.prepare(EDITION.of(sql))
        seconds = SECONDS.get(sql)
        return statement if seconds is None else SlowStatement(self, statement, seconds)

    async def begin(self) -> None:
        """A transaction. Behind a pooler it sets the time limits in the same message."""
        await self.execute(f"BEGIN;{local_deadlines(self.seconds)}" if self.pooled else "BEGIN")

    def raise_if_lost(self, error: Exception) -> None:
        """Closes an unusable connection and raises one kind of error for it."""
        # With the first, the driver was misused; the connection is fine.
        if isinstance(error, (asyncpg.InterfaceError, *RECOVERABLE)) and not self.is_closed():
            return
        if isinstance(error, (*DATABASE_AWAY, asyncpg.InterfaceError, asyncpg.InternalClientError)):
            if not self.is_closed():
                # A server that has become read-only was replaced by another.
                self.server_lost = isinstance(error, asyncpg.ReadOnlySQLTransactionError)
                self.terminate()
            raise _connection_lost(self, error) from error

    def abort_unresponsive(self) -> None:
        """A waiting caller gets an error."""
        self.server_lost = True
        self.terminate()

    async def close(self, *, timeout: float | None = _CLOSE_SECONDS) -> None:
        """Never fails, even if the server doesn't answer."""
        try:
            await super().close(timeout=timeout)
        except (*DATABASE_AWAY, asyncpg.InterfaceError, asyncpg.InternalClientError):
            self.terminate()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _connection_lost(connection: DatabaseConnection, error: Exception) -> ConnectionLostError:
    if isinstance(error, ConnectionLostError):
        return error
    if connection.server_lost and not isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return NoAnswerError(f"no answer within {connection.response_seconds:g} s")
    return ConnectionLostError(str(error))


async def connect(
    url: str,
    *,
    seconds: float = STATEMENT_SECONDS,
    timeout: float = CONNECT_SECONDS,
    idle_seconds: int = 0,
    needs_session: bool = True,
    connection_class: type[DatabaseConnection] = DatabaseConnection,
) -> DatabaseConnection:
    """`seconds` is the server's time limit for each statement; after `idle_seconds` without one it ends the connection and its locks. Without
    `needs_session`, a pooler in transaction mode will do."""
    connection: DatabaseConnection | None = None
    try:
        async with asyncio.timeout(timeout):
            connection = await asyncpg.connect(
                url,
                connection_class=connection_class,
                server_settings={"application_name": "steward"},
                timeout=timeout,
            )
            await _prepare(connection, seconds, idle_seconds, needs_session=needs_session)
    except BaseException as error:
        if connection is not None:
            connection.terminate()
        if isinstance(error, TimeoutError):
            raise TimeoutError(f"no connection within {timeout:g} s") from error
        if connection is None and isinstance(error, RuntimeError):
            # The server closed the connection during the handshake: the driver then writes to a closed transport.
            raise ConnectionLostError("the server closed the connection while it was made") from error
        if isinstance(error, asyncpg.ClientConfigurationError):
            raise DatabaseUrlError(str(error)) from None
        if connection is None and isinstance(error, ValueError | LookupError):
            raise DatabaseUrlError("it has to look like postgresql://user:password@host:port/name") from None
        raise
    watch_timeouts(connection)
    return connection


async def _prepare(
    connection: DatabaseConnection, seconds: float, idle_seconds: int, *, needs_session: bool
) -> None:
    connection.enable_keepalive()
    connection.set_statement_seconds(seconds)
    pid = None if needs_session else connection.get_server_pid()
    # One message: nothing is set if another server process answers.
    status = await connection.execute(session_settings(seconds, idle_seconds, pid))
    connection.pooled = status == "SELECT 0"
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=_to_json, decoder=msgspec.json.decode
    )
    connection.is_distributed = await is_distributed(connection)


async def has_citus(connection: asyncpg.Connection) -> bool:
    return bool(await connection.fetchval(_HAS_CITUS))


async def is_distributed(connection: asyncpg.Connection) -> bool:
    """Whether the tables are distributed; then new ones are, too."""
    return await has_citus(connection) and bool(await connection.fetchval(_IS_DISTRIBUTED))


def _to_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
