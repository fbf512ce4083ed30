"""Tells every process that something it may have cached has changed, and waits until each has acknowledged that.

Every API process caches what it knows of callers. It may trust its caches while it holds a lease: a row with a time,
renewed each second by whoever has proved that it hears: it announces itself over the way that changes take, and that has to come
back over the connection on which it listens for invalidations. A change sends one in its own transaction; after the commit the
sender waits until every process with a lease has acknowledged it, or has lost its lease and with it its trust. Only then is the
caller told that the change is done. So a revoked key fails on the next request of every process, also when one of them hangs or
its connection is dead, or leads to somebody who listens for nobody.
"""

import asyncio
import contextlib
import time
import weakref
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from steward.kit.coordination import processes
from steward.kit.coordination.invalidation import InvalidatedCache as InvalidatedCache
from steward.kit.coordination.invalidation import Invalidation as Invalidation
from steward.kit.coordination.invalidation import Invalidator as Invalidator
from steward.kit.coordination.process_place import own_place
from steward.kit.db.connection import DATABASE_AWAY, DatabaseConnection, connect
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Database, Transaction
from steward.kit.db.pooler import NOTIFICATIONS_NOT_RECEIVED, NotificationsNotReceived
from steward.kit.db.sql import sql
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime import clock
from steward.kit.runtime.metrics import CACHE_TRUSTED

_INVALIDATIONS = "steward_identity"
_ACKNOWLEDGEMENTS = "steward_identity_heard"


class BusTiming(NamedTuple):
    """How long each step may take, in seconds."""

    lease: float = 3.0
    renew: float = 1.0
    # A process stops trusting its memory this much before its lease is over for everybody else.
    safety: float = 0.5
    acknowledge: float = 4.5
    # Longer than that, and trust is lost anyway.
    statement: float = 2
    # So long after it was sent, what a process says to itself doesn't come any more; the first time there is no hurry.
    echo: float = 2.0
    first_echo: float = 4.0
    # What `start` waits for that first one; connecting takes a part of it.
    start: float = 5.0
    retire: float = 1.0


_TIMING = BusTiming()

_NO_LISTENERS: Mapping[str, Callable[[str], None]] = MappingProxyType({})

_NOTIFY = sql("SELECT pg_notify($1, $2)")
_RENEW = sql(
    """INSERT INTO processes (id, kind, seen, lease_until, place)
       VALUES ($1, 'api', $2, now() + make_interval(secs => $3), $4)
       ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, lease_until = excluded.lease_until
       RETURNING (extract(epoch FROM now()) * 1000000)::bigint"""
)
# What this process wrote while its clock was ahead is mended by a worker that finds this.
_MARK_AHEAD = sql(
    """INSERT INTO processes (id, kind, seen, lease_until) VALUES ($1, 'clock', $2, now())
       ON CONFLICT (id) DO UPDATE SET seen = excluded.seen"""
)
_RETIRE = sql("DELETE FROM processes WHERE id = $1")


class _Heard(msgspec.Struct, frozen=True):
    token: str
    echo: bool = False


class InvalidationBus:
    """Two connections per process: one that listens, and one to the ordinary address, over which it speaks. Without caches a
    process only sends. `listeners` are called with what is said on channels of others."""

    def __init__(
        self,
        url: str,
        database: Database,
        caches: Sequence[InvalidatedCache] = (),
        *,
        listen_url: str | None = None,
        timing: BusTiming = _TIMING,
        listeners: Mapping[str, Callable[[str], None]] = _NO_LISTENERS,
    ) -> None:
        self.process = new_id("prc")
        self._url = url
        self._listen_url = listen_url or url
        self._pooled = listen_url is not None
        self._database = database
        self._caches = caches
        self._listeners = listeners
        self._timing = timing
        self._place: str | None = None
        self._trusted_until = 0.0
        self._set_backs = clock.WALL.set_backs
        # What was heard: an invalidation to acknowledge, or what this process has said to itself.
        self._heard: asyncio.Queue[_Heard] = asyncio.Queue()
        self._acknowledged: dict[str, set[str]] = {}
        self._acknowledgement = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._started = asyncio.Event()
        self._deaf: NotificationsNotReceived | None = None

    def trusted(self) -> bool:
        """Whether what this process remembers is still what the database says."""
        return time.monotonic() < self._trusted_until

    async def start(self) -> None:
        if self._caches:
            CACHE_TRUSTED.set(0)
        self._place = own_place()
        self._task = asyncio.create_task(self._run(), name="bus")
        # A database that is away is waited for; one that answers and isn't heard is not.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._timing.start):
                await self._started.wait()
        if self._deaf is not None:
            await self.stop()
            raise self._deaf

    async def stop(self) -> None:
        self._trusted_until = 0
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def invalidate(
        self,
        transaction: Transaction,
        organization: str,
        *,
        new_key: str | None = None,
        access_only: bool = False,
    ) -> None:
        invalidation = Invalidation(new_id("ann"), organization, new_key, access_only)
        await transaction.execute(_NOTIFY, _INVALIDATIONS, msgspec.json.encode(invalidation).decode())
        self._acknowledged[invalidation.token] = set()
        # After a rollback nobody waits for acknowledgements, and this is what forgets them.
        weakref.finalize(transaction, self._acknowledged.pop, invalidation.token, None)
        transaction.after_commit(lambda: self._await_acknowledgement(invalidation.token))

    async def _await_acknowledgement(self, token: str) -> None:
        try:
            async with asyncio.timeout(self._timing.acknowledge):
                await self._await_all(token)
        except TimeoutError:
            FAULT_LOG.report(
                "invalidation not acknowledged", TimeoutError("a process keeps its lease and is silent")
            )
            raise Unavailable("The change is stored, but not yet known everywhere; ask again.") from None
        finally:
            del self._acknowledged[token]

    async def _await_all(self, token: str) -> None:
        # Whoever takes a lease from now on begins with an empty memory and has nothing to forget.
        first = await processes.leases(self._database)
        began, waiting = time.monotonic(), set(first)
        while waiting:
            held = await processes.leases(self._database)
            waiting = (waiting & held.keys()) - self._acknowledged[token]
            if time.monotonic() - began > self._timing.lease:
                waiting -= await processes.end_leases(
                    self._database, {id: held[id] for id in waiting if held[id] == first[id]}
                )
            if waiting:
                # Woken by each answer; otherwise look again whether the silent ones still hold their lease.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.5):
                        await self._await_some(token, waiting)

    async def _await_some(self, token: str, waiting: set[str]) -> None:
        while not waiting <= self._acknowledged[token]:
            self._acknowledgement.clear()
            await self._acknowledgement.wait()

    async def _run(self) -> None:
        while True:
            try:
                await self._listen()
            except Exception as error:  # noqa: BLE001 (whatever it was, listening must go on)
                FAULT_LOG.report("invalidations can't be received; caches are bypassed", error)
                if isinstance(error, NotificationsNotReceived) and not self._started.is_set():
                    self._deaf = error
                    self._started.set()
            self._trusted_until = 0
            await asyncio.sleep(0.5)

    async def _listen(self) -> None:
        # A new name each time: nobody waits for an answer to what this process has missed.
        self.process = new_id("prc")
        async with (
            self._opened(await connect(self._listen_url, seconds=self._timing.statement)) as listening,
            self._opened(
                await connect(self._url, seconds=self._timing.statement, needs_session=not self._pooled)
            ) as speaking,
        ):
            await self._add_listeners(listening)
            try:
                await self._prove(speaking, time.monotonic(), self._timing.first_echo)
                for cache in self._caches:
                    await cache.reset(self._database)
                while True:
                    await self._keep_lease(speaking)
            finally:
                self._trusted_until = 0
                CACHE_TRUSTED.set(0 if self._caches else 1)
                await self._retire(speaking)

    @asynccontextmanager
    async def _opened(self, connection: DatabaseConnection) -> AsyncIterator[DatabaseConnection]:
        try:
            yield connection
        finally:
            connection.terminate()

    async def _add_listeners(self, listening: DatabaseConnection) -> None:
        """Nothing else is ever asked of this connection: what comes over it comes by itself."""
        await listening.add_listener(self.process, self._on_echo)
        await listening.add_listener(_ACKNOWLEDGEMENTS, self._on_acknowledgement)
        for channel, heard in self._listeners.items():
            await listening.add_listener(channel, lambda *said, heard=heard: heard(said[-1]))
        if self._caches:
            await listening.add_listener(_INVALIDATIONS, self._on_invalidation)

    async def _keep_lease(self, speaking: DatabaseConnection) -> None:
        """For one beat. Whoever comes here has been heard by itself in the one before."""
        sent, now = time.monotonic(), clock.now()
        if self._caches:
            if (set_backs := clock.WALL.set_backs) != self._set_backs:
                await speaking.run(_MARK_AHEAD, new_id("prc"), clock.WALL.latest_ms // 1000)
                self._set_backs = set_backs
            asked = clock.monotonic_us()
            [(shown,)] = await speaking.run(_RENEW, self.process, now, self._timing.lease, self._place)
            clock.DATABASE.agree(shown, asked)
        await self._prove(speaking, sent, self._timing.echo)
        if self._caches:
            self._trusted_until = sent + self._timing.lease - self._timing.safety
            CACHE_TRUSTED.set(1)
        self._started.set()
        while heard := await self._next_heard(sent + self._timing.renew):
            await self._acknowledge(speaking, heard)

    async def _prove(self, speaking: DatabaseConnection, sent: float, seconds: float) -> None:
        """Until this process has heard itself; then it has also heard whatever was said before."""
        echo = _Heard(new_id("ann"), echo=True)
        await speaking.run(_NOTIFY, self.process, echo.token)
        while (heard := await self._next_heard(sent + seconds)) != echo:
            if heard is None:
                raise NotificationsNotReceived(NOTIFICATIONS_NOT_RECEIVED)
            await self._acknowledge(speaking, heard)

    async def _next_heard(self, deadline: float) -> "_Heard | None":
        rest = deadline - time.monotonic()
        if rest > 0 or not self._heard.empty():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(rest, 0.01)):
                    return await self._heard.get()
        return None

    async def _acknowledge(self, speaking: DatabaseConnection, heard: "_Heard") -> None:
        if not heard.echo:
            await speaking.run(_NOTIFY, _ACKNOWLEDGEMENTS, f"{heard.token} {self.process}")

    async def _retire(self, connection: DatabaseConnection) -> None:
        """Whoever can't say that it goes is waited for until its lease is over, and no longer."""
        try:
            async with asyncio.timeout(self._timing.retire):
                if not connection.is_closed():
                    await connection.run(_RETIRE, self.process)
        except DATABASE_AWAY:
            connection.terminate()

    def _on_echo(self, *notification: Any) -> None:
        self._heard.put_nowait(_Heard(notification[-1], echo=True))

    def _on_invalidation(self, *notification: Any) -> None:
        invalidation = msgspec.json.decode(notification[-1], type=Invalidation)
        for cache in self._caches:
            cache.invalidate(invalidation)
        self._heard.put_nowait(_Heard(invalidation.token))

    def _on_acknowledgement(self, *notification: Any) -> None:
        token, process = notification[-1].split()
        if token in self._acknowledged:
            self._acknowledged[token].add(process)
            self._acknowledgement.set()
