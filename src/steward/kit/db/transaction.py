"""The interface that runs statements, and one open transaction."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, Self

from steward.kit.db.connection import DATABASE_AWAY, DatabaseConnection
from steward.kit.db.sql import Row, Sql

AfterCommit = Callable[[], Awaitable[None]]


class Database(Protocol):
    """Something that runs statements: the pool, each in a transaction of its own, or one open transaction."""

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]: ...
    async def fetchrow(self, sql: Sql, *args: Any) -> Row | None: ...
    async def fetchval(self, sql: Sql, *args: Any) -> Any: ...
    async def execute(self, sql: Sql, *args: Any) -> None: ...
    def notify(self, organization: str) -> None:
        """Wakes the workers for deliveries of this organization, now or after the commit."""

    async def is_distributed(self) -> bool:
        """Whether the tables are spread over several servers."""

    def transaction(self) -> "AbstractAsyncContextManager[Transaction]": ...
    def attempt(self) -> "AbstractAsyncContextManager[Database]":
        """A part that may fail without rolling back what the transaction did before."""

    async def roll_back_failed(self) -> None:
        """Rolls back after a failed statement, so that the database can be asked why; nothing can be written any more."""


class Queries:
    """The methods that follow from `fetch`, as long as each statement is a transaction of its own."""

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

    @asynccontextmanager
    async def attempt(self) -> AsyncIterator[Self]:
        yield self

    async def roll_back_failed(self) -> None:
        """The failed statement was rolled back by itself."""


class Transaction(Queries):
    """One open transaction. A transaction within it is a part of it: only the outermost commits."""

    def __init__(self, connection: DatabaseConnection) -> None:
        self._connection = connection
        self._after_commit: list[AfterCommit] = []
        self._attempts = 0
        self.to_notify: set[str] = set()

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        return await self._connection.run(sql, *args)

    async def is_distributed(self) -> bool:
        return self._connection.is_distributed

    def notify(self, organization: str) -> None:
        self.to_notify.add(organization)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["Transaction"]:
        yield self

    @asynccontextmanager
    async def attempt(self) -> AsyncIterator[Self]:
        to_notify, after_commit = set(self.to_notify), len(self._after_commit)
        await self._connection.execute("SAVEPOINT attempt")
        self._attempts += 1
        try:
            yield self
        except Exception:
            self.to_notify = to_notify
            del self._after_commit[after_commit:]
            # The original error is the one to raise.
            with contextlib.suppress(*DATABASE_AWAY):
                await self._connection.execute("ROLLBACK TO SAVEPOINT attempt")
            raise
        finally:
            self._attempts -= 1
        await self._connection.execute("RELEASE SAVEPOINT attempt")

    async def roll_back_failed(self) -> None:
        if self._attempts:
            await self._connection.execute("ROLLBACK TO SAVEPOINT attempt")
            return
        await self._connection.execute("ROLLBACK")
        # Until the error has been raised, nothing may be written outside the transaction.
        await self._connection.execute("BEGIN READ ONLY")

    def after_commit(self, call: AfterCommit) -> None:
        """`call` runs after the commit and before the caller gets an answer."""
        self._after_commit.append(call)

    async def committed(self) -> None:
        for call in self._after_commit:
            await call()


async def roll_back(connection: DatabaseConnection, error: BaseException) -> None:
    """A cancelled task can't wait; the server rolls back when the connection ends."""
    if not isinstance(error, Exception):
        connection.terminate()
    elif not connection.is_closed():
        # Nothing was committed in any case, and the original error is the one to raise.
        with contextlib.suppress(*DATABASE_AWAY):
            await connection.execute("ROLLBACK")
