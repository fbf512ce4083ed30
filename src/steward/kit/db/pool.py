"""How statements are run: each by itself through the pool, or several in one transaction; both look the same.

asyncpg's own pool wraps every connection in a proxy and sends a reset query on each release: half of the cost of a
short query. Steward keeps no session state, so a plain stack of connections is enough.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from steward.kit.db.connection import (
    CONNECT_SECONDS,
    STATEMENT_SECONDS,
    ConnectionLostError,
    DatabaseConnection,
)
from steward.kit.db.connection import DATABASE_AWAY as DATABASE_AWAY
from steward.kit.db.connection import connect as connect
from steward.kit.db.faults import FAULT_LOG, WRITE_HEALTH
from steward.kit.db.sql import Row, Sql
from steward.kit.db.tenant_shares import TenantShares
from steward.kit.db.transaction import Database as Database
from steward.kit.db.transaction import Queries, roll_back
from steward.kit.db.transaction import Transaction as Transaction
from steward.kit.db.waiting_line import WaitingLine
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime.metrics import POOL_ACQUIRE_SECONDS

# What nobody has needed for so long is closed, down to these few.
_IDLE_SECONDS = 60.0
_MIN_OPEN = 2
# Between two attempts to reach a server that doesn't answer.
_RETRY_SECONDS = 0.5
_BUSY = "All database connections are busy; try again shortly."

# Called with an organization, once it may have deliveries that wait.
Notify = Callable[[str], None]


class Pool(Queries):
    """At most `size` connections, made when first needed; the most recently used one is taken first, and those at the bottom of
    the stack are closed that nobody has come to need in `idle_seconds`.

    `seconds` is what the server gives a statement, `acquire_seconds` how long somebody waits for a connection. A server that doesn't
    answer is asked by one attempt after the other; whoever comes meanwhile is told so at once. `name` is what it is called in
    the metrics.
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
        self._connect_once = partial(
            connect,
            url,
            seconds=seconds,
            timeout=connect_seconds,
            needs_session=needs_session,
            connection_class=connection_class,
        )
        self._acquire_time = POOL_ACQUIRE_SECONDS.labels(name)
        self._notify = notify
        self._size = size
        self._shares = TenantShares(size, acquire_seconds)
        self._idle_seconds = idle_seconds
        self._idle: list[DatabaseConnection] = []
        self._open = 0
        self._connections: set[DatabaseConnection] = set()
        self._waiting: WaitingLine[DatabaseConnection] = WaitingLine(acquire_seconds, _BUSY)
        self._reconnecting: asyncio.Task[None] | None = None
        # How many of the idle ones nobody has needed since somebody looked last.
        self._unused = 0
        self._shrinking: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        tenant, connection = await self._acquire()
        try:
            return await connection.run(sql, *args)
        except Exception as error:
            WRITE_HEALTH.failed(error)
            raise
        finally:
            self._release(connection)
            self._shares.give_back(tenant)

    def usage(self) -> tuple[int, int, int, int]:
        """Its size, how many connections are open, how many of them are in use, and how many wait for one."""
        return self._size, self._open, self._open - len(self._idle), len(self._waiting)

    async def is_distributed(self) -> bool:
        """Every connection knows it, so that one which there is already need not be asked."""
        known = next((each for each in self._connections if not each.is_closed()), None)
        if known is None:
            known = await self._acquired()
            self._release(known)
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
            self._release(connection)
            self._shares.give_back(tenant)
        for organization in transaction.to_notify:
            self._notify(organization)
        await transaction.committed()

    @asynccontextmanager
    async def attempt(self) -> AsyncIterator["Pool"]:
        """Whatever is done here is in transactions of its own."""
        yield self

    async def roll_back_failed(self) -> None:
        """That was in a transaction of its own."""

    async def close(self) -> None:
        """Also where the server doesn't answer, or somebody still waits for it to."""
        self._size = 0
        if self._shrinking is not None:
            self._shrinking.cancel()
        if self._reconnecting is not None:
            self._reconnecting.cancel()
        self._waiting.refuse_all("The service is stopping.")
        idle, self._idle = self._idle, []
        for connection in idle:
            self._discard(connection)
        await asyncio.gather(*(connection.close() for connection in idle))
        for connection in self._connections:
            connection.terminate()

    async def _acquire(self) -> tuple[str | None, DatabaseConnection]:
        """A connection, and the tenant whose share of them it is."""
        tenant = await self._shares.take()
        try:
            return tenant, await self._acquired()
        except BaseException:
            self._shares.give_back(tenant)
            raise

    async def _acquired(self) -> DatabaseConnection:
        while self._idle:
            connection = self._idle.pop()
            self._unused = min(self._unused, len(self._idle))
            if not connection.is_closed():
                return connection
            self._discard(connection)
        may_connect = self._reconnecting is None and self._open < self._size
        if not may_connect and not self._open:
            raise ConnectionLostError("the database doesn't answer" if self._size else "the pool is closed")
        with self._acquire_time.time():
            return await (self._connect() if may_connect else self._waiting.wait(self._release))

    async def _connect(self) -> DatabaseConnection:
        self._open += 1
        try:
            connection = await self._connect_once()
        except BaseException as error:
            self._open -= 1
            if isinstance(error, TimeoutError):
                self._begin_reconnecting()
            raise
        self._connections.add(connection)
        self._shrink_later()
        return connection

    def _shrink_later(self) -> None:
        if self._shrinking is None and self._open > _MIN_OPEN:
            self._unused = 0
            self._shrinking = asyncio.get_running_loop().call_later(self._idle_seconds, self._shrink)

    def _shrink(self) -> None:
        surplus = max(0, min(self._unused, len(self._idle), self._open - _MIN_OPEN))
        unused, self._idle = self._idle[:surplus], self._idle[surplus:]
        for connection in unused:
            self._discard(connection)
            task = asyncio.create_task(connection.close(), name="pool")
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
        self._shrinking = None
        self._shrink_later()
        self._unused = len(self._idle)

    def _discard(self, connection: DatabaseConnection) -> None:
        self._connections.discard(connection)
        self._open -= 1

    def _release(self, connection: DatabaseConnection) -> None:
        if connection.is_closed():
            self._discard(connection)
            if connection.server_lost:
                self._discard_idle()
            self._replace_for_waiter()
            return
        if self._waiting.hand(connection):
            return
        if self._size:
            self._idle.append(connection)
        else:
            self._discard(connection)
            connection.terminate()

    def _discard_idle(self) -> None:
        """What one connection has lost, those beside it have probably lost too; nobody should find that out one by one."""
        while self._idle:
            connection = self._idle.pop()
            self._discard(connection)
            connection.terminate()

    def _replace_for_waiter(self) -> None:
        """A connection died; whoever waited for it gets a new one, or the error that there is none."""
        if self._reconnecting is not None:
            if not self._open:
                self._waiting.refuse_all("The database doesn't answer at the moment.")
            return
        if (waiter := self._waiting.first()) is not None:
            task = asyncio.ensure_future(self._connect())
            task.add_done_callback(partial(self._hand_to_waiter, waiter))

    def _hand_to_waiter(
        self, waiter: "asyncio.Future[DatabaseConnection]", made: "asyncio.Future[DatabaseConnection]"
    ) -> None:
        if made.cancelled() or made.exception() is not None:
            if not waiter.done():
                waiter.set_exception(Unavailable("The database can't be reached at the moment."))
        elif waiter.done():
            self._release(made.result())
        else:
            waiter.set_result(made.result())

    def _begin_reconnecting(self) -> None:
        if self._reconnecting is None and self._size:
            self._reconnecting = asyncio.create_task(self._reconnect(), name="pool")
            self._replace_for_waiter()

    async def _reconnect(self) -> None:
        """Until it answers: one attempt after the other, instead of one by each who comes."""
        while True:
            try:
                connection = await self._connect_once()
            except Exception as error:  # noqa: BLE001 (whatever it was, it is asked again)
                FAULT_LOG.report("the database doesn't answer", error)
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                break
        self._reconnecting = None
        self._open += 1
        self._connections.add(connection)
        self._release(connection)
