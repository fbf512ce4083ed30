"""Runs statements: each by itself through the pool, or several in one transaction, with the same interface.

asyncpg's own pool wraps every connection in a proxy and sends a reset query on each release, which is more than half of the cost of a short
query. Steward keeps no session state, so a plain stack of connections is enough.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from steward.kit.db.connection import (
    CONNECT_SECONDS,
    STATEMENT_SECONDS,
    DatabaseConnection,
)
from steward.kit.db.connection import DATABASE_AWAY as DATABASE_AWAY
from steward.kit.db.connection import connect as connect
from steward.kit.db.faults import WRITE_HEALTH
from steward.kit.db.open_connections import OpenConnections
from steward.kit.db.sql import Row, Sql
from steward.kit.db.tenant_shares import TenantShares
from steward.kit.db.transaction import Database as Database
from steward.kit.db.transaction import Queries, roll_back
from steward.kit.db.transaction import Transaction as Transaction
from steward.kit.runtime.metrics import POOL_ACQUIRE_SECONDS

_IDLE_SECONDS = 60.0

# Called with an organization that may have new deliveries.
Notify = Callable[[str], None]


class Pool(Queries):
    """At most `size` connections. `seconds` is the server's limit for a statement, `acquire_seconds` the longest wait for a connection;
    `name` is the pool's label in the metrics.
    """

    def __init__(
        self,
        url: str,
        size: int,
        *,
        seconds: float = STATEMENT_SECONDS,
        connect_seconds: float = CONNECT_SECONDS,
        acquire_seconds: float = 4,
        idle_seconds: float = _IDLE_SECONDS,
        needs_session: bool = True,
        notify: Notify = lambda _organization: None,
        name: str = "other",
        connection_class: type[DatabaseConnection] = DatabaseConnection,
    ) -> None:
        self.name = name
        connect_once = partial(
            connect,
            url,
            seconds=seconds,
            timeout=connect_seconds,
            needs_session=needs_session,
            connection_class=connection_class,
        )
        self._notify = notify
        self._shares = TenantShares(size, acquire_seconds)
        self._connections = OpenConnections(
            connect_once,
            size,
            acquire_seconds=acquire_seconds,
            idle_seconds=idle_seconds,
            waited=POOL_ACQUIRE_SECONDS.labels(name).observe,
        )

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        tenant, connection = await self._acquire()
        try:
            return await connection.run(sql, *args)
        except Exception as error:
            WRITE_HEALTH.failed(error)
            raise
        finally:
            self._connections.release(connection)
            self._shares.give_back(tenant)

    def usage(self) -> tuple[int, int, int, int]:
        """Its size, and how many connections are open, in use, and waited for."""
        return self._connections.usage()

    async def is_distributed(self) -> bool:
        """Every connection knows; only without one a new one is made."""
        known = self._connections.any()
        if known is None:
            known = await self._connections.acquire()
            self._connections.release(known)
        return known.is_distributed

    def notify(self, organization: str) -> None:
        self._notify(organization)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        tenant, connection = await self._acquire()
        try:
            await connection.begin()
            transaction = Transaction(connection)
            try:
                yield transaction
            except BaseException as error:
                await roll_back(connection, error)
                raise
            await connection.execute("COMMIT")
        except Exception as error:
            WRITE_HEALTH.failed(error)
            raise
        finally:
            self._connections.release(connection)
            self._shares.give_back(tenant)
        for organization in transaction.to_notify:
            self._notify(organization)
        await transaction.committed()

    async def close(self) -> None:
        """Also if the server doesn't answer, or callers still wait."""
        await self._connections.close()

    async def _acquire(self) -> tuple[str | None, DatabaseConnection]:
        """A connection, and the tenant whose share of them it is."""
        tenant = await self._shares.take()
        try:
            return tenant, await self._connections.acquire()
        except BaseException:
            self._shares.give_back(tenant)
            raise
