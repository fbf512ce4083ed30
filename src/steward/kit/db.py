"""Connections to PostgreSQL: a small pool, and transactions that look the same to whoever queries.

asyncpg's own pool wraps every connection in a proxy and sends a reset query on each release: half of the cost of a
short query. Steward keeps no session state, so a plain stack of connections is enough.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import asyncpg
import msgspec

from steward.kit.problems import Unavailable
from steward.kit.sql import Row, Sql

# What asyncpg raises when the server is away, going away or full, as opposed to when it dislikes a statement.
DATABASE_AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
)

AfterCommit = Callable[[], Awaitable[None]]

_SERVER_SETTINGS = {
    "application_name": "steward",
    # A sharded server hides its shards from catalogue queries, which makes type look-ups slow; a plain one ignores it.
    "citus.override_table_visibility": "off",
}


async def connect(url: str, *, timeout: float = 10) -> asyncpg.Connection:
    connection = await asyncpg.connect(
        url, server_settings=_SERVER_SETTINGS, timeout=timeout, command_timeout=60
    )
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=_to_json, decoder=msgspec.json.decode
    )
    return connection


def _to_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class Database(Protocol):
    """Something that runs statements: the pool, each in a transaction of its own, or one open transaction."""

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]: ...
    async def fetchrow(self, sql: Sql, *args: Any) -> Row | None: ...
    async def fetchval(self, sql: Sql, *args: Any) -> Any: ...
    async def execute(self, sql: Sql, *args: Any) -> None: ...
    def transaction(self) -> "AbstractAsyncContextManager[Transaction]": ...


class Transaction:
    """One open transaction. A transaction within it is a part of it: there is one commit, the outermost."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self._after_commit: list[AfterCommit] = []

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        return await self._connection.fetch(sql, *args)  # type: ignore[no-any-return]

    async def fetchrow(self, sql: Sql, *args: Any) -> Row | None:
        return await self._connection.fetchrow(sql, *args)

    async def fetchval(self, sql: Sql, *args: Any) -> Any:
        return await self._connection.fetchval(sql, *args)

    async def execute(self, sql: Sql, *args: Any) -> None:
        await self._connection.fetch(sql, *args)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["Transaction"]:
        yield self

    def after_commit(self, call: AfterCommit) -> None:
        """`call` runs once the change is visible to others, and before the caller is told that it is done."""
        self._after_commit.append(call)

    async def committed(self) -> None:
        for call in self._after_commit:
            await call()


class Pool:
    """At most `size` connections, made when first needed; the most recently used one is taken first."""

    def __init__(self, url: str, size: int, *, patience: float = 5) -> None:
        self._url = url
        self._size = size
        self._patience = patience
        self._idle: list[asyncpg.Connection] = []
        self._open = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        connection = await self._take()
        try:
            return await connection.fetch(sql, *args)  # type: ignore[no-any-return]
        finally:
            self._give(connection)

    async def fetchrow(self, sql: Sql, *args: Any) -> Row | None:
        connection = await self._take()
        try:
            return await connection.fetchrow(sql, *args)
        finally:
            self._give(connection)

    async def fetchval(self, sql: Sql, *args: Any) -> Any:
        row = await self.fetchrow(sql, *args)
        return None if row is None else row[0]

    async def execute(self, sql: Sql, *args: Any) -> None:
        await self.fetch(sql, *args)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        connection = await self._take()
        try:
            async with connection.transaction():
                transaction = Transaction(connection)
                yield transaction
        finally:
            self._give(connection)
        await transaction.committed()

    async def close(self) -> None:
        self._size = 0
        while self._idle:
            self._open -= 1
            await self._idle.pop().close(timeout=2)

    async def _take(self) -> asyncpg.Connection:
        while True:
            while self._idle:
                connection = self._idle.pop()
                if not connection.is_closed():
                    return connection
                self._open -= 1
            if self._open < self._size:
                return await self._connect()
            await self._wait()

    async def _connect(self) -> asyncpg.Connection:
        self._open += 1
        try:
            return await connect(self._url)
        except BaseException:
            self._open -= 1
            self._wake()
            raise

    async def _wait(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await asyncio.wait_for(turn, self._patience)
        except TimeoutError:
            raise Unavailable("All database connections are busy; try again shortly.") from None
        except asyncio.CancelledError:
            # A turn that was given to us and that we can't take belongs to the next in line.
            if turn.done() and not turn.cancelled():
                self._wake()
            raise

    def _give(self, connection: asyncpg.Connection) -> None:
        if connection.is_closed():
            self._open -= 1
        else:
            self._idle.append(connection)
        self._wake()

    def _wake(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
