"""The table of processes with their heartbeats, its housekeeping, and its metrics."""

from typing import Any

from steward.kit.coordination.process_place import is_gone
from steward.kit.db.connection import DATABASE_AWAY
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime.metrics import DATABASE_REACHABLE, PROCESSES

COUNT_SECONDS = 15
_KINDS = ("api", "worker")

# By the database's clock: setting the clock of this machine deletes no process whose lease holds.
_DELETE_GONE = sql("DELETE FROM processes WHERE lease_until < now() - interval '1 hour'")
_COUNT_ALIVE = sql("SELECT kind, count(*) FROM processes WHERE lease_until > now() GROUP BY kind")

# A process with a lease is alive, whatever its clock says.
_SEEN_AFTER = "seen > $1 AND (kind = 'worker' OR lease_until < now())"
_ANY_SEEN_AFTER = sql(f"SELECT EXISTS (SELECT 1 FROM processes WHERE {_SEEN_AFTER})")  # noqa: S608 (our own)
_DELETE_SEEN_AFTER = sql(f"DELETE FROM processes WHERE {_SEEN_AFTER}")  # noqa: S608

_LEASES = sql("SELECT id, lease_until, place FROM processes WHERE kind = 'api' AND lease_until > now()")
_END_LEASES = sql(
    """UPDATE processes AS p SET lease_until = now()
       FROM unnest($1::text[], $2::timestamptz[]) AS lost (id, lease_until)
       WHERE p.id = lost.id AND p.lease_until = lost.lease_until"""
)


async def leases(db: Database) -> dict[str, Any]:
    """When the lease of each API process ends. A process that was killed on this machine caches nothing, whatever its lease says."""
    rows = await db.fetch(_LEASES)
    return {row["id"]: row["lease_until"] for row in rows if not is_gone(row["place"])}


async def end_leases(db: Database, unrenewed: dict[str, Any]) -> set[str]:
    """For processes that, by their own clocks, no longer trust their caches: the database's clock was set back. Returns which."""
    if unrenewed:
        await db.execute(_END_LEASES, list(unrenewed), list(unrenewed.values()))
    return set(unrenewed)


async def delete_gone_processes(db: Database) -> None:
    await db.execute(_DELETE_GONE)


async def count_processes(db: Database) -> None:
    """For the metrics. Every process counts by itself, so that a missing one is noticed by all others."""
    try:
        alive = dict(await db.fetch(_COUNT_ALIVE))
    except (*DATABASE_AWAY, Unavailable):
        DATABASE_REACHABLE.set(0)
        raise
    DATABASE_REACHABLE.set(1)
    for kind in _KINDS:
        PROCESSES.labels(kind).set(alive.get(kind, 0))


async def any_seen_after(db: Database, moment: int) -> bool:
    """Whether the last heartbeat of a process lies in the future."""
    return bool(await db.fetchval(_ANY_SEEN_AFTER, moment))


async def forget_seen_after(db: Database, moment: int) -> None:
    await db.execute(_DELETE_SEEN_AFTER, moment)
