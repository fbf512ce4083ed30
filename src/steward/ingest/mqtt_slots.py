"""Which session at the broker is whose.

What comes while a worker is away waits for it under its client id. So a worker that starts again has to come back under
the same one, and no two may share one: they would throw each other out for ever. A number that is locked in the database
serves both: the lowest free one is that of whoever has gone. A session whose worker doesn't come back at all would still be
given its share of the messages; the table of duties says when another worker has to look after it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from steward.kit.db.connection import DATABASE_AWAY, DatabaseConnection, connect
from steward.kit.db.sql import Row, Sql, sql
from steward.kit.runtime import clock

SLOTS = 64
_PATIENCE_SECONDS = 10.0
# We say something every few seconds. When nothing comes through, the lock is for the worker that comes next.
_IDLE_SECONDS = 30
# Any number that no other lock with two numbers has.
_LOCKS = 0x6D717474
_DUTY = "mqtt session "

_TRY = sql("SELECT pg_try_advisory_lock($1, $2)")
_UNLOCK = sql("SELECT pg_advisory_unlock($1, $2)")
_IN_USE = sql(
    """INSERT INTO duties (name, due) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET due = excluded.due"""
)
# Also those that somebody would look after for longer than anybody says: left by a clock that has been set back. Whose
# session is not abandoned holds its lock.
_ABANDONED = sql(
    "SELECT name FROM duties WHERE starts_with(name, $1) AND (due < $2 OR due > $3) ORDER BY name"
)
_SKEW_SECONDS = 60
_ENDED = sql("DELETE FROM duties WHERE name = $1")


class SlotLostError(Exception):
    """Nothing proves any more that nobody else has our slot."""


def client_id(slot: int) -> str:
    return f"steward-{slot}"


class Slots:
    """What is taken stays ours as long as the connection."""

    def __init__(self, connection: DatabaseConnection) -> None:
        self._connection = connection
        self._turn = asyncio.Lock()

    async def take_lowest(self) -> int:
        for slot in range(SLOTS):
            if await self.take(slot):
                return slot
        raise SlotLostError(f"{SLOTS} workers take readings over MQTT already")

    async def take(self, slot: int) -> bool:
        return bool((await self._run(_TRY, _LOCKS, slot))[0][0])

    async def give_back(self, slot: int) -> None:
        await self._run(_UNLOCK, _LOCKS, slot)

    async def in_use(self, slot: int, seconds: int) -> None:
        """Says that the slot's session is looked after for so long; raises where it may not be ours any more."""
        await self._run(_IN_USE, f"{_DUTY}{slot}", clock.now() + seconds)

    async def abandoned(self, seconds: int) -> list[int]:
        now = clock.now()
        rows = await self._run(_ABANDONED, _DUTY, now, now + seconds + _SKEW_SECONDS)
        return [int(row[0].removeprefix(_DUTY)) for row in rows]

    async def ended(self, slot: int) -> None:
        await self._run(_ENDED, f"{_DUTY}{slot}")

    async def _run(self, statement: Sql, *args: Any) -> list[Row]:
        try:
            async with self._turn, asyncio.timeout(_PATIENCE_SECONDS):
                return await self._connection.run(statement, *args)
        except (*DATABASE_AWAY, TimeoutError) as error:
            raise SlotLostError(f"the database is away: {error}") from error


@asynccontextmanager
async def open_slots(database_url: str) -> AsyncIterator[Slots]:
    try:
        connection = await connect(database_url, idle_seconds=_IDLE_SECONDS)
    except (*DATABASE_AWAY, TimeoutError) as error:
        raise SlotLostError(f"the database is away: {error}") from error
    try:
        yield Slots(connection)
    finally:
        # Ends the locks whether or not the server still answers.
        connection.terminate()
