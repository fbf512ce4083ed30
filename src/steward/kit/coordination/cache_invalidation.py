"""Tells every process that something it may have cached has changed, and waits until each has acknowledged that.

Every API process caches what it knows of callers. It may trust its caches while it holds a lease: a row with a time that the
process renews each second, after it has verified LISTEN: it sends itself a notification the way that changes are sent, and that
has to arrive on the connection on which it listens for invalidations. A change sends an invalidation in its own transaction;
after the commit the sender waits until every process with a lease has acknowledged it, or has lost its lease and with it its
trust. Only then does the caller get the answer. So a revoked key fails on the next request of every process, even if one of them
hangs, or its connection is dead or leads to a pooler that delivers no notifications.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from steward.kit.coordination import processes
from steward.kit.coordination.acknowledgements import Acknowledgements
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
from steward.kit.runtime import clock
from steward.kit.runtime.metrics import CACHE_TRUSTED

_INVALIDATIONS = "steward_identity"
_ACKNOWLEDGEMENTS = "steward_identity_heard"


class BusTiming(NamedTuple):
    """How long each step may take, in seconds."""

    lease: float = 3.0
    renew: float = 1.0
    # A process stops trusting its caches this much before its lease ends for the others.
    safety: float = 0.5
    acknowledge: float = 4.5
    # After that, trust is lost anyway.
    statement: float = 2
    # How long a process waits for its own notification; the first time there is no hurry.
    echo: float = 2.0
    first_echo: float = 4.0
    # How long `start` waits for that first one, connecting included.
    start: float = 5.0
    retire: float = 1.0


_TIMING = BusTiming()

_NO_LISTENERS: Mapping[str, Callable[[str], None]] = MappingProxyType({})

_NOTIFY = sql("SELECT pg_notify($1, $2)")


class _Received(msgspec.Struct, frozen=True):
    token: str
    echo: bool = False


class InvalidationBus:
    """Two connections per process: one that listens, and one to the ordinary address, over which it sends. Without caches a
    process only sends. `listeners` get the payloads of other channels."""

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
        # Invalidations to acknowledge, and notifications that this process sent itself.
        self._received: asyncio.Queue[_Received] = asyncio.Queue()
        self._acknowledgements = Acknowledgements(
            database, lease_seconds=timing.lease, wait_seconds=timing.acknowledge
        )
        self._task: asyncio.Task[None] | None = None
        self._started = asyncio.Event()
        self._not_received: NotificationsNotReceived | None = None

    def trusted(self) -> bool:
        """Whether the caches of this process are up to date."""
        return time.monotonic() < self._trusted_until

    async def start(self) -> None:
        if self._caches:
            CACHE_TRUSTED.set(0)
        self._place = own_place()
        self._task = asyncio.create_task(self._run(), name="bus")
        # Wait for an unreachable database, but not for one whose notifications don't arrive.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._timing.start):
                await self._started.wait()
        if self._not_received is not None:
            await self.stop()
            raise self._not_received

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
        self._acknowledgements.await_after_commit(transaction, invalidation.token)

    async def _run(self) -> None:
        while True:
            try:
                await self._listen()
            except Exception as error:  # noqa: BLE001 (whatever it was, listening must go on)
                FAULT_LOG.report("invalidations can't be received; caches are bypassed", error)
                if isinstance(error, NotificationsNotReceived) and not self._started.is_set():
                    self._not_received = error
                    self._started.set()
            self._trusted_until = 0
            await asyncio.sleep(0.5)

    async def _listen(self) -> None:
        # A new id each time, so that no sender waits for an invalidation that this process missed.
        self.process = new_id("prc")
        with contextlib.ExitStack() as opened:
            listening = await connect(self._listen_url, seconds=self._timing.statement)
            opened.callback(listening.terminate)
            speaking = await connect(
                self._url, seconds=self._timing.statement, needs_session=not self._pooled
            )
            opened.callback(speaking.terminate)
            await self._add_listeners(listening)
            try:
                await self._verify_listen(speaking, time.monotonic(), self._timing.first_echo)
                for cache in self._caches:
                    await cache.reset(self._database)
                while True:
                    await self._keep_lease(speaking)
            finally:
                self._trusted_until = 0
                CACHE_TRUSTED.set(0 if self._caches else 1)
                await self._retire(speaking)

    async def _add_listeners(self, listening: DatabaseConnection) -> None:
        """This connection runs no statements, only LISTEN."""
        await listening.add_listener(self.process, self._on_echo)
        await listening.add_listener(_ACKNOWLEDGEMENTS, self._on_acknowledgement)
        for channel, listener in self._listeners.items():
            await listening.add_listener(channel, lambda *said, listener=listener: listener(said[-1]))
        if self._caches:
            await listening.add_listener(_INVALIDATIONS, self._on_invalidation)

    async def _keep_lease(self, speaking: DatabaseConnection) -> None:
        """For one beat; called after a successful round trip."""
        sent, now = time.monotonic(), clock.now()
        if self._caches:
            if (set_backs := clock.WALL.set_backs) != self._set_backs:
                await processes.mark_ahead(speaking, new_id("prc"), clock.WALL.latest_ms // 1000)
                self._set_backs = set_backs
            asked = clock.monotonic_us()
            shown = await processes.renew(speaking, self.process, now, self._timing.lease, self._place)
            clock.DATABASE.agree(shown, asked)
        await self._verify_listen(speaking, sent, self._timing.echo)
        if self._caches:
            self._trusted_until = sent + self._timing.lease - self._timing.safety
            CACHE_TRUSTED.set(1)
        self._started.set()
        while received := await self._next_received(sent + self._timing.renew):
            await self._acknowledge(speaking, received)

    async def _verify_listen(self, speaking: DatabaseConnection, sent: float, seconds: float) -> None:
        """Waits for this process's own notification; everything sent before has then arrived, too."""
        echo = _Received(new_id("ann"), echo=True)
        await speaking.run(_NOTIFY, self.process, echo.token)
        while (received := await self._next_received(sent + seconds)) != echo:
            if received is None:
                raise NotificationsNotReceived(NOTIFICATIONS_NOT_RECEIVED)
            await self._acknowledge(speaking, received)

    async def _next_received(self, deadline: float) -> "_Received | None":
        rest = deadline - time.monotonic()
        if rest > 0 or not self._received.empty():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(rest, 0.01)):
                    return await self._received.get()
        return None

    async def _acknowledge(self, speaking: DatabaseConnection, received: "_Received") -> None:
        if not received.echo:
            await speaking.run(_NOTIFY, _ACKNOWLEDGEMENTS, f"{received.token} {self.process}")

    async def _retire(self, connection: DatabaseConnection) -> None:
        """Deletes the lease. If that fails, senders wait until the lease ends."""
        try:
            async with asyncio.timeout(self._timing.retire):
                if not connection.is_closed():
                    await processes.retire(connection, self.process)
        except DATABASE_AWAY:
            connection.terminate()

    def _on_echo(self, *notification: Any) -> None:
        self._received.put_nowait(_Received(notification[-1], echo=True))

    def _on_invalidation(self, *notification: Any) -> None:
        invalidation = msgspec.json.decode(notification[-1], type=Invalidation)
        for cache in self._caches:
            cache.invalidate(invalidation)
        self._received.put_nowait(_Received(invalidation.token))

    def _on_acknowledgement(self, *notification: Any) -> None:
        token, process = notification[-1].split()
        self._acknowledgements.add(token, process)
