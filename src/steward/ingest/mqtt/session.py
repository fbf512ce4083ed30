"""Which session at the broker is whose.

What comes while a worker is away waits for it under its client id. So a worker that starts again has to come back under
the same one, and no two may share one: they would throw each other out for ever. A number that is locked in the database
serves both: the lowest free one is that of the worker that has gone. A session whose worker doesn't come back at all would still be
given its share of the messages; the table of duties says when another worker takes it over.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from steward.ingest.mqtt import queries
from steward.kit.db.advisory_locks import MQTT_SESSIONS
from steward.kit.db.connection import DATABASE_AWAY, DatabaseConnection, connect
from steward.kit.db.sql import Row, Sql
from steward.kit.runtime import clock

SESSIONS = 64
_PATIENCE_SECONDS = 10.0
# We say something every few seconds. When nothing comes through, the lock is for the worker that comes next.
_IDLE_SECONDS = 30
_SKEW_SECONDS = 60


class SessionLostError(Exception):
    """The lock on our session may be lost."""


def client_id(number: int) -> str:
    return f"steward-{number}"


class SessionLeases:
    """What is acquired stays ours as long as the connection to the database."""

    def __init__(self, connection: DatabaseConnection) -> None:
        self._connection = connection
        self._turn = asyncio.Lock()

    async def acquire_lowest(self) -> int:
        for number in range(SESSIONS):
            if await self.acquire(number):
                return number
        raise SessionLostError(f"{SESSIONS} workers take readings over MQTT already")

    async def acquire(self, number: int) -> bool:
        return bool((await self._run(queries.TRY_LOCK, MQTT_SESSIONS, number))[0][0])

    async def release(self, number: int) -> None:
        await self._run(queries.UNLOCK, MQTT_SESSIONS, number)

    async def renew(self, number: int, seconds: int) -> None:
        """Renews the session for so long; raises if it may no longer be ours."""
        await self._run(queries.RENEW, f"{queries.DUTY}{number}", clock.now() + seconds)

    async def abandoned(self, seconds: int) -> list[int]:
        """The sessions that were not renewed in time; renewals last `seconds` at most."""
        now = clock.now()
        rows = await self._run(queries.ABANDONED, queries.DUTY, now, now + seconds + _SKEW_SECONDS)
        return [int(row[0].removeprefix(queries.DUTY)) for row in rows]

    async def forget(self, number: int) -> None:
        """Once the broker has ended the session."""
        await self._run(queries.FORGET, f"{queries.DUTY}{number}")

    async def _run(self, statement: Sql, *args: Any) -> list[Row]:
        try:
            async with self._turn, asyncio.timeout(_PATIENCE_SECONDS):
                return await self._connection.run(statement, *args)
        except (*DATABASE_AWAY, TimeoutError) as error:
            raise SessionLostError(f"the database is away: {error}") from error


@asynccontextmanager
async def open_leases(database_url: str) -> AsyncIterator[SessionLeases]:
    try:
        connection = await connect(database_url, idle_seconds=_IDLE_SECONDS)
    except (*DATABASE_AWAY, TimeoutError) as error:
        raise SessionLostError(f"the database is away: {error}") from error
    try:
        yield SessionLeases(connection)
    finally:
        # Ends the locks whether or not the server still answers.
        connection.terminate()
