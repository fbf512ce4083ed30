"""Reads exports, reports and history from replicas of the database.

A replica may be behind. So a reader first asks the database for the position of its log, and then a replica whether it has replayed that far:
it sees everything that any process committed before, its own writes included. A replica that doesn't get there soon, or is away, isn't asked
for a while, and the database answers itself.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from steward.kit.db.connection import DATABASE_AWAY, DatabaseConnection
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Pool
from steward.kit.db.sql import Row, Sql, sql
from steward.kit.db.transaction import Database, Queries, Transaction
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime.log import log
from steward.kit.runtime.metrics import REPLICA_READS

# The longest wait for a replica, which is usually there at once.
_CATCH_UP_SECONDS = 0.25
_FIRST_PAUSE_SECONDS = 0.002
# How long a replica that was behind or away isn't asked.
_REST_SECONDS = 2.0
_CONNECTIONS = 4

_POSITION = sql("SELECT pg_current_wal_flush_lsn()::text")
# A promoted server has no replay position, or keeps its last one.
_HAS_REACHED = sql("SELECT coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false)")
# Replicas have the system identifier of their server, and databases of the same names.
_IDENTITY = sql("SELECT system_identifier::text || ' ' || current_database() FROM pg_control_system()")
_IS_SHARDED = sql("SELECT to_regclass('pg_dist_partition') IS NOT NULL")

_AWAY = (*DATABASE_AWAY, TimeoutError, Unavailable, asyncpg.InterfaceError)


class ReplicaError(Exception):
    """A server can't be used as a replica; the message says which one and why."""


class Replica:
    """One replica, and its state."""

    def __init__(
        self,
        url: str,
        connection_class: type[DatabaseConnection],
        catch_up_seconds: float,
        rest_seconds: float,
    ) -> None:
        self.name = _name(url)
        self._catch_up_seconds = catch_up_seconds
        self._rest_seconds = rest_seconds
        self.pool = Pool(url, _CONNECTIONS, name="replicas", connection_class=connection_class)
        self._verified = False
        self._resting_until = 0.0

    def is_resting(self) -> bool:
        return time.monotonic() < self._resting_until

    async def verify(self, primary: Database) -> None:
        """Before the first read, and again after every absence, since another server may have replaced it."""
        if self._verified:
            return
        if await self.pool.fetchval(_IDENTITY) != await primary.fetchval(_IDENTITY):
            raise ReplicaError(f"{self.name} is not a replica of the database")
        self._verified = True

    async def reaches(self, position: str) -> bool:
        """Whether it has replayed up to there, now or in a moment."""
        deadline, pause = time.monotonic() + self._catch_up_seconds, _FIRST_PAUSE_SECONDS
        while not await self.pool.fetchval(_HAS_REACHED, position):
            if time.monotonic() + pause > deadline:
                self.rest()
                return False
            await asyncio.sleep(pause)
            pause *= 2
        return True

    def rest(self) -> None:
        self._resting_until = time.monotonic() + self._rest_seconds

    def away(self, error: Exception) -> None:
        self._verified = False
        self.rest()
        FAULT_LOG.report("replica unavailable; reading from the primary", error, replica=self.name)


class Replicas:
    """The replicas of a database, asked in turn. Without any, the database answers everything."""

    def __init__(
        self,
        primary: Database,
        urls: Sequence[str],
        *,
        connection_class: type[DatabaseConnection] = DatabaseConnection,
        catch_up_seconds: float = _CATCH_UP_SECONDS,
        rest_seconds: float = _REST_SECONDS,
    ) -> None:
        self._primary = primary
        self._replicas = [Replica(url, connection_class, catch_up_seconds, rest_seconds) for url in urls]
        self._turn = 0

    async def start(self) -> None:
        """Refuses servers that aren't replicas. One that is away isn't refused."""
        if self._replicas and await self._primary.fetchval(_IS_SHARDED):
            raise ReplicaError(
                "a distributed database can't have replicas: no position holds for all of its nodes"
            )
        for replica in self._replicas:
            try:
                await replica.verify(self._primary)
            except _AWAY as error:
                replica.away(error)
            else:
                log.info("reading from replica", replica=replica.name)

    async def close(self) -> None:
        for replica in self._replicas:
            await replica.pool.close()

    @property
    def pools(self) -> list[Pool]:
        return [replica.pool for replica in self._replicas]

    def reader(self) -> Database:
        """For one request."""
        return Reader(self._primary, self) if self._replicas else self._primary

    def next(self) -> Replica | None:
        for _ in self._replicas:
            self._turn = (self._turn + 1) % len(self._replicas)
            if not (replica := self._replicas[self._turn]).is_resting():
                return replica
        return None


class Reader(Queries):
    """The reads of one request: all from one replica, since another may be further behind; or from the database."""

    def __init__(self, primary: Database, replicas: Replicas) -> None:
        self._primary = primary
        self._replicas = replicas
        self._replica: Replica | None = None
        self._chosen = False

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        replica = await self._choose()
        if replica is not None:
            try:
                rows = await replica.pool.fetch(sql, *args)
            except asyncpg.QueryCanceledError:
                raise  # it would take too long on the database, too
            except asyncpg.SerializationError:
                pass  # its rows were vacuumed on the database
            except _AWAY as error:
                replica.away(error)
            else:
                REPLICA_READS.labels("replica").inc()
                return rows
            # The database is never behind a replica, so that nothing that was read disappears.
            self._replica = None
        REPLICA_READS.labels("primary").inc()
        return await self._primary.fetch(sql, *args)

    async def _choose(self) -> Replica | None:
        if self._chosen:
            return self._replica
        self._chosen = True
        if (replica := self._replicas.next()) is None:
            return None
        position = await self._primary.fetchval(_POSITION)
        try:
            await replica.verify(self._primary)
            if await replica.reaches(position):
                self._replica = replica
        except (*_AWAY, ReplicaError) as error:
            replica.away(error)
        return self._replica

    async def is_distributed(self) -> bool:
        return await self._primary.is_distributed()

    def notify(self, organization: str) -> None:
        self._primary.notify(organization)

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        return self._primary.transaction()


def _name(url: str) -> str:
    """Without the password."""
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2] or "a replica on a local socket"
