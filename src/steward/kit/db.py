"""How statements are run: each by itself through the pool, or several in one transaction; both look the same.

asyncpg's own pool wraps every connection in a proxy and sends a reset query on each release: half of the cost of a
short query. Steward keeps no session state, so a plain stack of connections is enough.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, Protocol

from steward.kit.connection import DATABASE_AWAY as DATABASE_AWAY
from steward.kit.connection import Connection
from steward.kit.connection import connect as connect
from steward.kit.problems import Unavailable
from steward.kit.sql import QUEUES, Row, Sql

AfterCommit = Callable[[], Awaitable[None]]
# Called with an organization, once it may have deliveries that wait.
Told = Callable[[str], None]


class Database(Protocol):
    """Something that runs statements: the pool, each in a transaction of its own, or one open transaction."""

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]: ...
    async def fetchrow(self, sql: Sql, *args: Any) -> Row | None: ...
    async def fetchval(self, sql: Sql, *args: Any) -> Any: ...
    async def execute(self, sql: Sql, *args: Any) -> None: ...
    def transaction(self) -> "AbstractAsyncContextManager[Transaction]": ...


class _Runs:
    """Everything that follows from being able to fetch rows."""

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        raise NotImplementedError

    async def fetchrow(self, sql: Sql, *args: Any) -> Row | None:
        rows = await self.fetch(sql, *args)
        return rows[0] if rows else None

    async def fetchval(self, sql: Sql, *args: Any) -> Any:
        rows = await self.fetch(sql, *args)
        return rows[0][0] if rows else None

    async def execute(self, sql: Sql, *args: Any) -> None:
        await self.fetch(sql, *args)


class Transaction(_Runs):
    """One open transaction. A transaction within it is a part of it: there is one commit, the outermost."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._after_commit: list[AfterCommit] = []
        self.told: set[str] = set()

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        if sql in QUEUES:
            self.told.add(args[0])
        return await self._connection.run(sql, *args)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["Transaction"]:
        yield self

    def after_commit(self, call: AfterCommit) -> None:
        """`call` runs once the change is visible to others, and before the caller is told that it is done."""
        self._after_commit.append(call)

    async def committed(self) -> None:
        for call in self._after_commit:
            await call()


class Pool(_Runs):
    """At most `size` connections, made when first needed; the most recently used one is taken first."""

    def __init__(
        self, url: str, size: int, *, patience: float = 5, told: Told = lambda _organization: None
    ) -> None:
        self._url = url
        self._told = told
        self._size = size
        self._patience = patience
        self._idle: list[Connection] = []
        self._open = 0
        self._waiting: deque[asyncio.Future[Connection]] = deque()

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        connection = await self._take()
        try:
            rows = await connection.run(sql, *args)
        finally:
            self._give(connection)
        if sql in QUEUES:
            self._told(args[0])
        return rows

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        connection = await self._take()
        try:
            async with connection.transaction():
                transaction = Transaction(connection)
                yield transaction
        except Exception as error:
            connection.give_up_if_lost(error)
            raise
        finally:
            self._give(connection)
        for organization in transaction.told:
            self._told(organization)
        await transaction.committed()

    async def close(self) -> None:
        self._size = 0
        while self._idle:
            self._open -= 1
            await self._idle.pop().close(timeout=2)

    async def _take(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
            self._open -= 1
        if self._open < self._size:
            return await self._connect()
        return await self._wait()

    async def _connect(self) -> Connection:
        self._open += 1
        try:
            return await connect(self._url)
        except BaseException:
            self._open -= 1
            raise

    async def _wait(self) -> Connection:
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[Connection] = loop.create_future()
        timer = loop.call_later(self._patience, _give_up, turn)
        self._waiting.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            # A connection that was handed to us and that we can't use belongs to the next in line.
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._give(turn.result())
            raise
        finally:
            timer.cancel()

    def _give(self, connection: Connection) -> None:
        """Straight to whoever has waited longest, so that no newcomer takes what is theirs."""
        if connection.is_closed():
            self._open -= 1
            self._replace_for_waiter()
            return
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(connection)
                return
        self._idle.append(connection)

    def _replace_for_waiter(self) -> None:
        """A connection died; whoever waited for it gets a new one, or the error that there is none."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                task = asyncio.ensure_future(self._connect())
                task.add_done_callback(partial(self._hand_over, turn))
                return

    def _hand_over(self, turn: "asyncio.Future[Connection]", made: "asyncio.Future[Connection]") -> None:
        if made.cancelled() or made.exception() is not None:
            if not turn.done():
                turn.set_exception(Unavailable("The database can't be reached at the moment."))
        elif turn.done():
            self._give(made.result())
        else:
            turn.set_result(made.result())


def _give_up(turn: "asyncio.Future[Connection]") -> None:
    if not turn.done():
        turn.set_exception(Unavailable("All database connections are busy; try again shortly."))
