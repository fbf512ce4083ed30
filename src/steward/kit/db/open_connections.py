"""The open connections of a pool: a stack of idle ones, a line of waiters, and what happens when the server is away."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from time import perf_counter

from steward.kit.db.connection import ConnectionLostError, DatabaseConnection
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.wait_queue import WaitQueue
from steward.kit.domain.problems import Unavailable

_MIN_OPEN = 2
# Between two attempts to reach a server that doesn't answer.
_RETRY_SECONDS = 0.5
_BUSY = "All database connections are busy; try again shortly."


class OpenConnections:
    """At most `size`, made when they are first needed. The most recently used is taken first; those that weren't needed for `idle_seconds`
    are closed, down to two. While the server doesn't answer, one task retries and callers get the error at once.

    `waited` is called with the seconds that a caller waited for a new or a released connection.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[DatabaseConnection]],
        size: int,
        *,
        acquire_seconds: float,
        idle_seconds: float,
        waited: Callable[[float], None],
    ) -> None:
        self._connect_once = connect
        self._size = size
        self._idle_seconds = idle_seconds
        self._waited = waited
        self._idle: list[DatabaseConnection] = []
        self._open = 0
        self._connections: set[DatabaseConnection] = set()
        self._waiting: WaitQueue[DatabaseConnection] = WaitQueue(acquire_seconds, _BUSY)
        self._reconnecting: asyncio.Task[None] | None = None
        # Idle ones that weren't needed since the last look.
        self._unused = 0
        self._shrinking: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def usage(self) -> tuple[int, int, int, int]:
        """Its size, and how many connections are open, in use, and waited for."""
        return self._size, self._open, self._open - len(self._idle), len(self._waiting)

    def any(self) -> DatabaseConnection | None:
        """One that is open, in use or not."""
        return next((each for each in self._connections if not each.is_closed()), None)

    async def close(self) -> None:
        """Also if the server doesn't answer, or callers still wait."""
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

    async def acquire(self) -> DatabaseConnection:
        while self._idle:
            connection = self._idle.pop()
            self._unused = min(self._unused, len(self._idle))
            if not connection.is_closed():
                return connection
            self._discard(connection)
        may_connect = self._reconnecting is None and self._open < self._size
        if not may_connect and not self._open:
            raise ConnectionLostError("the database doesn't answer" if self._size else "the pool is closed")
        started = perf_counter()
        try:
            return await (self._connect() if may_connect else self._waiting.wait(self.release))
        finally:
            self._waited(perf_counter() - started)

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

    def release(self, connection: DatabaseConnection) -> None:
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
        """They have probably lost their server, too; callers shouldn't find that out one by one."""
        while self._idle:
            connection = self._idle.pop()
            self._discard(connection)
            connection.terminate()

    def _replace_for_waiter(self) -> None:
        """The waiter of a lost connection gets a new one, or the error that there is none."""
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
            self.release(made.result())
        else:
            waiter.set_result(made.result())

    def _begin_reconnecting(self) -> None:
        if self._reconnecting is None and self._size:
            self._reconnecting = asyncio.create_task(self._reconnect(), name="pool")
            self._replace_for_waiter()

    async def _reconnect(self) -> None:
        """Until the server answers: one attempt after the other, instead of one per caller."""
        while True:
            try:
                connection = await self._connect_once()
            except Exception as error:  # noqa: BLE001 (any error is a reason to retry)
                FAULT_LOG.report("the database doesn't answer", error)
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                break
        self._reconnecting = None
        self._open += 1
        self._connections.add(connection)
        self.release(connection)
