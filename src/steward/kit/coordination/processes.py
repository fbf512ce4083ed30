"""The table of processes with their heartbeats, its housekeeping, and its metrics."""

from typing import Any

from steward.kit.coordination.process_place import is_gone
from steward.kit.db.connection import DATABASE_AWAY, DatabaseConnection
from steward.kit.db.query import Database, query, sql
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime.metrics import DATABASE_REACHABLE, PROCESSES

COUNT_SECONDS = 15
_KINDS = ("api", "worker")

_COUNT_ALIVE = sql("SELECT kind, count(*) FROM processes WHERE lease_until > now() GROUP BY kind")

# A process with a lease is alive, whatever its clock says.
_SEEN_AFTER = "seen > $1 AND (kind = 'worker' OR lease_until < now())"

_LEASES = sql("SELECT id, lease_until, place FROM processes WHERE kind = 'api' AND lease_until > now()")
_END_LEASES = sql(
    """UPDATE processes AS p SET lease_until = now()
       FROM unnest($1::text[], $2::timestamptz[]) AS lost (id, lease_until)
       WHERE p.id = lost.id AND p.lease_until = lost.lease_until"""
)


@query(
    """INSERT INTO processes (id, kind, seen, lease_until, place)
       VALUES ($1, 'api', $2, now() + make_interval(secs => $3), $4)
       ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, lease_until = excluded.lease_until
       RETURNING (extract(epoch FROM now()) * 1000000)::bigint"""
)
async def renew(
    connection: DatabaseConnection, process: str, now: int, lease_seconds: float, place: str | None
) -> int:
    """The lease of an API process. Returns the database's time in microseconds."""


# A worker that finds this row repairs what the process wrote while its clock was ahead.
@query(
    """INSERT INTO processes (id, kind, seen, lease_until) VALUES ($1, 'clock', $2, now())
       ON CONFLICT (id) DO UPDATE SET seen = excluded.seen"""
)
async def mark_ahead(connection: DatabaseConnection, mark: str, latest: int) -> None: ...


@query("DELETE FROM processes WHERE id = $1")
async def retire(connection: DatabaseConnection, process: str) -> None: ...


async def leases(db: Database) -> dict[str, Any]:
    """When the lease of each API process ends. A process that was killed on this machine caches nothing, whatever its lease says."""
    rows = await db.fetch(_LEASES)
    return {row["id"]: row["lease_until"] for row in rows if not is_gone(row["place"])}


async def end_leases(db: Database, unrenewed: dict[str, Any]) -> set[str]:
    """For processes that, by their own clocks, no longer trust their caches: the database's clock was set back. Returns which."""
    if unrenewed:
        await db.execute(_END_LEASES, list(unrenewed), list(unrenewed.values()))
    return set(unrenewed)


# By the database's clock: setting the clock of this machine deletes no process whose lease holds.
@query("DELETE FROM processes WHERE lease_until < now() - interval '1 hour'")
async def delete_gone_processes(db: Database) -> None: ...


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


@query(f"SELECT EXISTS (SELECT 1 FROM processes WHERE {_SEEN_AFTER})")  # noqa: S608 (our own)
async def any_seen_after(db: Database, moment: int) -> bool:
    """Whether the last heartbeat of a process lies in the future."""


@query(f"DELETE FROM processes WHERE {_SEEN_AFTER}")  # noqa: S608
async def forget_seen_after(db: Database, moment: int) -> None: ...
