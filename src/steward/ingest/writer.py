"""The batch writer: readings that arrive while a batch is being stored make up the next one.

So the busier it gets, the more readings share a transaction, and nobody waits for a timer. Assets are dealt out to lanes,
each with a connection of its own, so that one lane decides while the database works for the other. What waits is bounded:
a sender that is told to come back later has lost nothing, one that fills our memory would lose everybody's.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from steward.ingest.readings import Reading
from steward.kit.connection import DATABASE_AWAY
from steward.kit.db import Pool, Transaction
from steward.kit.log import log
from steward.kit.metrics import READINGS, READINGS_WAITING
from steward.kit.problems import InternalError, Problem, Unavailable

# What one transaction takes at most: beyond this a larger batch is hardly cheaper, and holds its locks longer.
_MOST_IN_BATCH = 1000

Outcome = Problem | None
Store = Callable[[Transaction, Sequence[Reading]], Awaitable[list[Outcome]]]


class _Ticket:
    """Somebody who waits for several readings, possibly in several lanes."""

    __slots__ = ("done", "outcomes", "waiting_for")

    def __init__(self, size: int) -> None:
        self.outcomes: list[Outcome] = [None] * size
        self.waiting_for = size
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def settle(self, index: int, outcome: Outcome) -> None:
        self.outcomes[index] = outcome
        self.waiting_for -= 1
        if self.waiting_for == 0 and not self.done.done():
            self.done.set_result(None)

    def fail(self, error: Problem) -> None:
        if not self.done.done():
            self.done.set_exception(error)


_Entry = tuple[Reading, _Ticket, int]


class Writer:
    def __init__(self, pool: Pool, store: Store, *, lanes: int, most_waiting: int) -> None:
        self._pool = pool
        self._store = store
        self._lanes = [_Lane(self._finish) for _ in range(lanes)]
        self._most_waiting = most_waiting
        self._waiting = 0
        self._room = asyncio.Event()
        self._room.set()

    def start(self) -> None:
        for lane in self._lanes:
            lane.start()

    async def stop(self) -> None:
        """What has been taken is stored first."""
        for lane in self._lanes:
            await lane.stop()
        await self._pool.close()

    async def room(self) -> None:
        """Waits while the queue is full."""
        await self._room.wait()

    async def write(self, readings: Sequence[Reading]) -> list[Outcome]:
        """Returns once all of them are committed, with what is wrong with those that were refused.

        Where it raises Unavailable, send all of them again.
        """
        size = len(readings)
        if self._waiting and self._waiting + size > self._most_waiting:
            raise Unavailable(
                "More readings arrive than can be stored at the moment; send these again shortly."
            )
        self._waiting += size
        if self._waiting >= self._most_waiting:
            self._room.clear()
        ticket = _Ticket(size)
        for index, reading in enumerate(readings):
            self._lane(reading).put((reading, ticket, index))
        await ticket.done
        return ticket.outcomes

    async def write_within(self, tx: Transaction, readings: Sequence[Reading]) -> list[Outcome]:
        """For a caller whose transaction has more to do than storing these."""
        return await self._store(tx, readings)

    def _lane(self, reading: Reading) -> "_Lane":
        return self._lanes[hash(reading.asset_id) % len(self._lanes)]

    async def _finish(self, batch: Sequence[_Entry]) -> None:
        await self._store_batch(batch)
        self._waiting -= len(batch)
        READINGS_WAITING.set(self._waiting)
        if self._waiting < self._most_waiting:
            self._room.set()

    async def _store_batch(self, batch: Sequence[_Entry]) -> None:
        """Nobody is left waiting, whatever happens."""
        try:
            async with self._pool.transaction() as tx:
                outcomes = await self._store(tx, [reading for reading, _, _ in batch])
        except (*DATABASE_AWAY, Unavailable) as error:
            log.error(
                "readings could not be stored: the database is away", readings=len(batch), error=str(error)
            )
            for _, ticket, _ in batch:
                ticket.fail(
                    Unavailable("The database can't be reached at the moment; send these again shortly.")
                )
        except Exception as error:  # noqa: BLE001 (one reading that can't be stored must not take the others with it)
            await self._store_apart(batch, error)
        else:
            READINGS.inc(len(batch))
            for (_, ticket, index), outcome in zip(batch, outcomes, strict=True):
                ticket.settle(index, outcome)

    async def _store_apart(self, batch: Sequence[_Entry], error: Exception) -> None:
        """Halves the batch until what spoils it stands alone."""
        if len(batch) > 1:
            middle = len(batch) // 2
            await self._store_batch(batch[:middle])
            await self._store_batch(batch[middle:])
            return
        [(reading, ticket, index)] = batch
        log.error("a reading could not be stored", asset=reading.asset_id, exc_info=error)
        ticket.settle(index, InternalError("This reading could not be stored; tell us the requestId."))


class _Lane:
    """Stores what has come for its assets, one batch after the other."""

    def __init__(self, finish: Callable[[Sequence[_Entry]], Awaitable[None]]) -> None:
        self._finish = finish
        self._queue: deque[_Entry] = deque()
        self._news = asyncio.Event()
        self._stopping = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="telemetry lane")

    async def stop(self) -> None:
        self._stopping = True
        self._news.set()
        if self._task is not None:
            await self._task

    def put(self, entry: _Entry) -> None:
        self._queue.append(entry)
        self._news.set()

    async def _run(self) -> None:
        while True:
            await self._news.wait()
            while self._queue:
                size = min(len(self._queue), _MOST_IN_BATCH)
                await self._finish([self._queue.popleft() for _ in range(size)])
            if self._stopping:
                return
            self._news.clear()
