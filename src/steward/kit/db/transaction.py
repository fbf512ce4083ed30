"""What runs statements, and one open transaction of them."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

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
        """Says that deliveries of this organization may wait from now on, or once the transaction is committed."""

    async def is_distributed(self) -> bool:
        """Whether the tables are spread over several servers."""

    def transaction(self) -> "AbstractAsyncContextManager[Transaction]": ...
    def attempt(self) -> "AbstractAsyncContextManager[Database]":
        """Something that may fail and takes nothing with it that was done before, in the same transaction or not."""

    async def roll_back_failed(self) -> None:
        """After a statement that failed, so that the database can be asked why; nothing can be done any more."""


class Queries:
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


class Transaction(Queries):
    """One open transaction. A transaction within it is a part of it: there is one commit, the outermost."""

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
    async def attempt(self) -> AsyncIterator["Transaction"]:
        to_notify, after_commit = set(self.to_notify), len(self._after_commit)
        await self._connection.execute("SAVEPOINT attempt")
        self._attempts += 1
        try:
            yield self
        except Exception:
            self.to_notify = to_notify
            del self._after_commit[after_commit:]
            # The error that led here is the one to tell of.
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
        # As long as the error that led here is on its way, nothing may be stored by itself.
        await self._connection.execute("BEGIN READ ONLY")

    def after_commit(self, call: AfterCommit) -> None:
        """`call` runs once the change is visible to others, and before the caller is told that it is done."""
        self._after_commit.append(call)

    async def committed(self) -> None:
        for call in self._after_commit:
            await call()


async def roll_back(connection: DatabaseConnection, error: BaseException) -> None:
    """A cancelled task can't wait for it; the server rolls back by itself when the connection ends."""
    if not isinstance(error, Exception):
        connection.terminate()
    elif not connection.is_closed():
        # Nothing was committed either way, and the error that led here is the one to tell of.
        with contextlib.suppress(*DATABASE_AWAY):
            await connection.execute("ROLLBACK")
