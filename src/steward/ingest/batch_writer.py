"""The batch writer: readings that arrive while a batch is being stored make up the next one.

So the busier it gets, the more readings share a transaction, and no reading waits for a timer. Where very many wait, a second
batch is stored beside the first, so that one is decided on while the database works for the other. The queue is bounded:
a sender that gets 503 can retry, but one that fills our memory would lose the readings of all.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import Any

import asyncpg
import msgspec

from steward.ingest.metrics import READINGS, READINGS_WAITING
from steward.ingest.model import Reading
from steward.kit.db.connection import DATABASE_AWAY
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Database, Pool, Transaction
from steward.kit.domain.problems import InternalError, Problem, Unavailable
from steward.kit.runtime.log import log
from steward.kit.runtime.loop_watch import timed

# What one transaction takes at most: beyond this a larger batch is hardly cheaper, and holds its locks longer.
_MAX_IN_BATCH = 500
# A second batch at the same time pays when it is large; two small ones cost more than one that is twice as large.
_WORTH_A_SECOND = 200
CONCURRENT_BATCHES = 2

Outcome = Problem | None
Store = Callable[[Transaction, Sequence[Reading]], Awaitable[list[Outcome]]]


class BatchRequest(msgspec.Struct, eq=False):
    """Readings that are taken together, and who waits for them."""

    readings: Sequence[Reading]
    done: asyncio.Future[list[Outcome]]
    # The trace of their request, if there is one.
    origin: Any = None


class BatchWriter:
    """Its pool needs a connection for each of the `CONCURRENT_BATCHES`."""

    def __init__(self, pool: Pool, store: Store, *, max_waiting: int) -> None:
        self.pool = pool
        self._store = store
        self._max_waiting = max_waiting
        self._queue: deque[BatchRequest] = deque()
        self._storing = 0
        self._under_way = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self._room = asyncio.Event()
        self._room.set()

    async def stop(self) -> None:
        """What has been taken is stored first."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self.pool.close()

    async def room(self) -> None:
        """Waits while the queue is full."""
        await self._room.wait()

    def require_room(self, size: int) -> None:
        """503 if the queue has no room for so many more readings. Checked before a request is read, too, with a smaller number."""
        if self._waiting and self._waiting + size > self._max_waiting:
            raise Unavailable(
                "More readings arrive than can be stored at the moment; send these again shortly."
            )

    def write(self, readings: Sequence[Reading]) -> Awaitable[list[Outcome]]:
        """Comes back once all of them are committed, with what is wrong with those that were refused.

        Where it raises Unavailable, at once or then, send all of them again.
        """
        size = len(readings)
        self.require_room(size)
        self._waiting += size
        if self._waiting >= self._max_waiting:
            self._room.clear()
        request = BatchRequest(readings, asyncio.get_running_loop().create_future())
        self._queue.append(request)
        self._begin()
        return request.done

    def write_for(self, db: Database, readings: Sequence[Reading]) -> Awaitable[list[Outcome]]:
        """With those of others, or within the caller's transaction where the effect has to share that."""
        return self._store(db, readings) if isinstance(db, Transaction) else self.write(readings)

    def _begin(self) -> None:
        waiting = self._waiting - self._under_way
        if self._storing < CONCURRENT_BATCHES and (not self._storing or waiting >= _WORTH_A_SECOND):
            self._storing += 1
            task = asyncio.create_task(self._store_timed())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _store_timed(self) -> None:
        await timed(self._store_what_waits(), "task", lambda: "store readings")

    async def _store_what_waits(self) -> None:
        # Counted down where the queue is found empty and not when the task is gone: what came in between would be left there.
        while self._queue:
            batch, size = self._next_batch()
            self._under_way += size
            await self._store_batch(batch)
            self._under_way -= size
            self._waiting -= size
            READINGS_WAITING.set(self._waiting)
            if self._waiting < self._max_waiting:
                self._room.set()
        self._storing -= 1

    def _next_batch(self) -> tuple[list[BatchRequest], int]:
        """Whole requests, until there are enough readings."""
        batch = [self._queue.popleft()]
        size = len(batch[0].readings)
        while self._queue and size + len(self._queue[0].readings) <= _MAX_IN_BATCH:
            batch.append(self._queue.popleft())
            size += len(batch[-1].readings)
        return batch, size

    async def _store_batch(self, batch: Sequence[BatchRequest]) -> None:
        """Or fails it, so that no request waits forever."""
        try:
            left = iter(await self._stored([reading for request in batch for reading in request.readings]))
        except Unavailable as problem:
            for request in batch:
                if not request.done.done():
                    request.done.set_exception(Unavailable(problem.message))
        else:
            for request in batch:
                outcomes = list(islice(left, len(request.readings)))
                if not request.done.done():
                    request.done.set_result(outcomes)

    async def _stored(self, readings: Sequence[Reading]) -> list[Outcome]:
        """Halves what can't be stored together, until what spoils it stands alone."""
        try:
            async with self.pool.transaction() as tx:
                outcomes = await self._store(tx, readings)
        except (*DATABASE_AWAY, Unavailable) as error:
            FAULT_LOG.report("readings can't be stored: the database is away", error, readings=len(readings))
            raise Unavailable(
                "The database can't be reached at the moment; send these again shortly."
            ) from None
        except asyncpg.TransactionRollbackError as error:
            # A deadlock or serialization failure; the readings are fine.
            FAULT_LOG.report(
                "readings can't be stored: others were in the way", error, readings=len(readings)
            )
            raise Unavailable("Others changed the same things; send these again shortly.") from None
        except Exception as error:  # noqa: BLE001 (one reading that can't be stored must not take the others with it)
            if len(readings) == 1:
                log.error("a reading could not be stored", asset=readings[0].asset_id, exc_info=error)
                return [InternalError("This reading could not be stored; tell us the requestId.")]
            middle = len(readings) // 2
            return [*await self._stored(readings[:middle]), *await self._stored(readings[middle:])]
        READINGS.inc(len(readings))
        return outcomes
