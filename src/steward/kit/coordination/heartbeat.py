"""A worker's heartbeat: a row with a lease that it renews each second, all by the database's clock.

A worker owns what it has claimed while its lease holds. After that, any other worker may end it: mark its row and release its
claims. A worker that was only slow notices this when it wakes up; it has lost its claims then and registers again under a new
id. If no other worker noticed the expired lease, it keeps its claims.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable

import asyncpg

from steward.kit.db.connection import DATABASE_AWAY, DatabaseConnection, connect
from steward.kit.db.sql import sql
from steward.kit.domain.ids import new_id
from steward.kit.runtime import clock
from steward.kit.runtime.log import log

LEASE_SECONDS = 3.0
_RENEW_SECONDS = 1.0
# A worker stops this much before its lease ends for the others.
_SAFETY_SECONDS = 0.5
_RETRY_SECONDS = 0.25
_RELEASE_SECONDS = 1.0

_REGISTER = sql(
    """INSERT INTO processes (id, kind, seen, lease_until)
       VALUES ($1, 'worker', extract(epoch FROM now())::bigint, now() + make_interval(secs => $2))
       ON CONFLICT (id) DO NOTHING"""
)
# Whether this worker is still registered, the database's time, and when the next lease of another worker ends, or ended.
_RENEW = sql(
    """WITH renewed AS (
           UPDATE processes SET seen = extract(epoch FROM now())::bigint, lease_until = now() + make_interval(secs => $2)
           WHERE id = $1 AND kind = 'worker'
           RETURNING id
       )
       SELECT EXISTS (SELECT 1 FROM renewed), (extract(epoch FROM now()) * 1000000)::bigint,
              (SELECT extract(epoch FROM min(p.lease_until) - now())::float8 FROM processes p
               WHERE p.kind IN ('worker', 'ended') AND p.id <> $1)"""
)
_RELEASE = sql("UPDATE processes SET lease_until = now() WHERE id = $1")


class Heartbeat:
    """`on_lease_lost` is called when another worker ended this one, `on_worker_ended` when the lease of another one is over."""

    def __init__(self, url: str, *, lease_seconds: float = LEASE_SECONDS) -> None:
        self.process = new_id("prc")
        self.on_lease_lost: Callable[[], None] = lambda: None
        self.on_worker_ended: Callable[[], None] = lambda: None
        self._url = url
        self._lease_seconds = lease_seconds
        self._renewed = 0.0
        self._registered = False
        self._task: asyncio.Task[None] | None = None

    def holds_lease(self) -> bool:
        """Whether this worker owns its claims: no other worker may take them now."""
        return time.monotonic() < self._renewed + self._lease_seconds - _SAFETY_SECONDS

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="heartbeat")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=2 * _RELEASE_SECONDS)

    async def _run(self) -> None:
        while True:
            try:
                await self._renew_forever()
            except Exception as error:  # noqa: BLE001 (whatever it was, the next beat may go through)
                log.warning("heartbeat failed", error=repr(error))
            await asyncio.sleep(_RETRY_SECONDS)

    async def _renew_forever(self) -> None:
        connection = await connect(self._url, timeout=self._lease_seconds)
        try:
            while True:
                began = time.monotonic()
                async with asyncio.timeout(self._lease_seconds):
                    next_end = await self._renew(connection)
                # Also when the lease of another worker ends, so that its claims don't wait for our next beat.
                rest = min(_RENEW_SECONDS, next_end) if next_end > 0 else _RENEW_SECONDS
                await asyncio.sleep(max(0.0, began + rest - time.monotonic()))
        except asyncio.CancelledError:
            await self._release(connection)
            raise
        finally:
            connection.terminate()

    async def _renew(self, connection: DatabaseConnection) -> float:
        """Returns in how many seconds the next lease of another worker ends."""
        if not self._registered:
            await connection.run(_REGISTER, self.process, self._lease_seconds)
            self._registered = True
        sent, sent_us = time.monotonic(), clock.monotonic_us()
        [(is_alive, shown_us, next_end)] = await connection.run(_RENEW, self.process, self._lease_seconds)
        clock.DATABASE.agree(shown_us, sent_us)
        if not is_alive:
            self._register_again()
            return await self._renew(connection)
        # A late beat can't tell whether others are gone: the database may have delayed all of them.
        in_time = sent < self._renewed + self._lease_seconds
        self._renewed = sent
        if next_end is not None and next_end <= 0 and in_time:
            self.on_worker_ended()
        return _RENEW_SECONDS if next_end is None else next_end

    def _register_again(self) -> None:
        log.warning("worker lease expired; registered again", process=self.process)
        self.process = new_id("prc")
        self._registered, self._renewed = False, 0.0
        self.on_lease_lost()

    async def _release(self, connection: DatabaseConnection) -> None:
        """Frees the claims that are left."""
        with contextlib.suppress(*DATABASE_AWAY, TimeoutError, asyncpg.InterfaceError):
            async with asyncio.timeout(_RELEASE_SECONDS):
                await connection.run(_RELEASE, self.process)
