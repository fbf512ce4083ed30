"""Events in the order of their positions, up to where no later commit can insert any more."""

from collections.abc import Sequence

from steward.events.feed.model import FeedEvent, FeedPlace, Look
from steward.kit.db.advisory_locks import EVENT_POSITIONS
from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.query import Database, query, sql
from steward.kit.db.sharding import only_distributed
from steward.kit.security.caller import TenantId

_SHARED = "positions are numbers of transactions, which tenants share"

# `$5` is the horizon of a database spread over several servers: the one with the events doesn't know it.
_AFTER = sql(
    """SELECT position, id, convert_from(body, 'UTF8'), actor
       FROM events
       WHERE organization_id = $1 AND (position, id) > ($2::bigint, $3::text) AND position < coalesce($5::bigint, event_horizon())
       ORDER BY position, id LIMIT $4"""
)
# Without the bodies of events that aren't wanted or don't fit. The row without a body is the last one
# scanned, with the number of all.
_AFTER_OF_TYPES = sql(
    """WITH looked_at AS MATERIALIZED (
           SELECT position, id, type, body, actor
           FROM events
           WHERE organization_id = $1 AND (position, id) > ($2::bigint, $3::text) AND position < coalesce($5::bigint, event_horizon())
           ORDER BY position, id LIMIT $4
       ), wanted AS (
           SELECT position, id, convert_from(body, 'UTF8') AS text, actor
           FROM looked_at WHERE type = ANY ($6::text[])
           ORDER BY position, id LIMIT $7
       ), last AS (
           SELECT position, id, (SELECT count(*) FROM looked_at) AS number
           FROM looked_at ORDER BY position DESC, id DESC LIMIT 1
       )
       SELECT position, id, text, actor, 0 AS number FROM wanted
       UNION ALL
       SELECT position, id, NULL, NULL, number FROM last
       ORDER BY position, id, number"""
)
_HORIZON = sql("SELECT event_horizon()")
# A distributed transaction ends on the coordinator before the others know: until then it is prepared there,
# and its rows are invisible. The tenant's server is asked for these after the horizon was taken, so
# everything below the horizon is either visible or found here by its row.
_PREPARED = sql(
    "SELECT p.gid FROM organizations o, pg_prepared_xact() p WHERE o.id = $1", only_distributed=True
)
_OLDEST_PREPARED = sql(
    """SELECT min(event_horizon() - ((pg_snapshot_xmin(pg_current_snapshot())::text::bigint - t.xmin::text::bigint) & 4294967295))
       FROM pg_dist_transaction t WHERE t.gid = ANY ($1::text[])""",
    across="the catalog has no tenants",
    only_distributed=True,
)


# The last noted one is up to a minute old; events may have been stored since.
_NOTED = sql(
    "SELECT p.last, event_position(), pg_current_xact_id()::text::bigint FROM event_positions p",
    across=_SHARED,
)
_NEWEST = sql(
    """SELECT max(newest.position)
       FROM organizations o
       CROSS JOIN LATERAL (
           SELECT e.position FROM events e WHERE e.organization_id = o.id ORDER BY e.position DESC, e.id DESC LIMIT 1
       ) newest""",
    across="a database that was restored elsewhere goes on after the last event of any tenant",
)


async def after(db: Database, tenant: TenantId, place: FeedPlace, limit: int) -> Look:
    rows = await db.fetch(_AFTER, tenant, *place, limit, await _told_horizon(db, tenant))
    events = [FeedEvent(FeedPlace(position, id), body, actor) for position, id, body, actor in rows]
    return Look(events, events[-1].place if events else place, is_all=len(events) < limit)


async def after_of_types(
    db: Database, tenant: TenantId, place: FeedPlace, types: Sequence[str], *, looks_at: int, limit: int
) -> Look:
    """The first `limit` events of these types among the next `looks_at`."""
    horizon = await _told_horizon(db, tenant)
    rows = await db.fetch(_AFTER_OF_TYPES, tenant, *place, looks_at, horizon, types, limit)
    if not rows:
        return Look([], place, is_all=True)
    *wanted, (position, id, _, _, number) = rows
    events = [FeedEvent(FeedPlace(*row[:2]), row[2], row[3]) for row in wanted]
    return Look(events, FeedPlace(position, id), is_all=number < looks_at)


async def horizon(db: Database, tenant: TenantId) -> FeedPlace:
    """Everything read after this has been committed after this look, or is in progress now."""
    told = await _told_horizon(db, tenant)
    return FeedPlace(await db.fetchval(_HORIZON) if told is None else told, "")


async def _told_horizon(db: Database, tenant: TenantId) -> int | None:
    """None where the server with the events knows it by itself."""

    async def ask() -> int:
        horizon: int = await db.fetchval(_HORIZON)
        prepared = [row[0] for row in await db.fetch(_PREPARED, tenant)]
        oldest = await db.fetchval(_OLDEST_PREPARED, prepared) if prepared else None
        return horizon if oldest is None else min(horizon, oldest)

    return await only_distributed(db, ask)


@query(
    """SELECT pg_snapshot_xmin(s)::text::bigint, pg_snapshot_xmax(s)::text::bigint FROM pg_current_snapshot() s"""
)
async def running_transactions(db: Database) -> tuple[int, int]:
    """The number of the oldest open transaction, and the one after the newest that has ended; equal if none
    lies between.
    """


@query("UPDATE event_positions SET last = greatest(last, event_position())", across=_SHARED)
async def note_last_position(db: Database) -> None: ...


@query("SELECT last > event_position() FROM event_positions", across=_SHARED)
async def is_behind(connection: DatabaseConnection) -> bool:
    """Whether transaction numbers have started over: new events would sort before the existing ones."""


@query(f"SELECT pg_advisory_xact_lock({EVENT_POSITIONS})")
async def lock_positions(connection: DatabaseConnection) -> None:
    """Until the end of the transaction no other process checks whether positions must be shifted."""


async def needed_shift(connection: DatabaseConnection) -> int | None:
    """What puts the next event after all others when added to its number; None if it is there already."""
    noted, position, transaction = (await connection.run(_NOTED))[0]
    last = max(noted, (await connection.run(_NEWEST))[0][0] or 0)
    return None if last <= position else int(last + 1 - transaction)


async def shift_positions(connection: DatabaseConnection, shift: int) -> None:
    for name, number in (
        ("event_position", "pg_current_xact_id()"),
        ("event_horizon", "pg_snapshot_xmin(pg_current_snapshot())"),
    ):
        await connection.execute(
            f"""CREATE OR REPLACE FUNCTION {name}() RETURNS bigint LANGUAGE sql STABLE
                RETURN {number}::text::bigint + {shift}"""
        )
