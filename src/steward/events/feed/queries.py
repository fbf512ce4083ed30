"""Events in the order of their positions, as far as nothing can come in between any more."""

from collections.abc import Sequence

from steward.events.feed.model import FeedEvent, Look, Place
from steward.kit.db.advisory_locks import EVENT_POSITIONS
from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.runtime.log import log
from steward.kit.security.caller import TenantId

# Looking for the last event of every organization takes long where there are many of them.
_SHIFT_SECONDS = 600

_AFTER = sql(
    """SELECT position, id, convert_from(body, 'UTF8')
       FROM events
       WHERE organization_id = $1 AND (position, id) > ($2::bigint, $3::text) AND position < event_horizon()
       ORDER BY position, id LIMIT $4"""
)
# Without the bodies of those that nobody asked for or that have no room. The row without a body is the last that was looked
# at, with the number of all.
_AFTER_OF_TYPES = sql(
    """WITH looked_at AS MATERIALIZED (
           SELECT position, id, type, body
           FROM events
           WHERE organization_id = $1 AND (position, id) > ($2::bigint, $3::text) AND position < event_horizon()
           ORDER BY position, id LIMIT $4
       ), wanted AS (
           SELECT position, id, convert_from(body, 'UTF8') AS text
           FROM looked_at WHERE type = ANY ($5::text[])
           ORDER BY position, id LIMIT $6
       ), last AS (
           SELECT position, id, (SELECT count(*) FROM looked_at) AS number
           FROM looked_at ORDER BY position DESC, id DESC LIMIT 1
       )
       SELECT position, id, text, 0 AS number FROM wanted
       UNION ALL
       SELECT position, id, NULL, number FROM last
       ORDER BY position, id, number"""
)
_HORIZON = sql("SELECT event_horizon()")

_NOTE_LAST = sql(
    "UPDATE event_positions SET last = greatest(last, event_position())",
    across="positions are numbers of transactions, which tenants share",
)
_IS_BEHIND = sql(
    "SELECT last > event_position() FROM event_positions",
    across="positions are numbers of transactions, which tenants share",
)
_LOCK_POSITIONS = sql(f"SELECT pg_advisory_xact_lock({EVENT_POSITIONS})")
# The last one noted is up to a minute old; events may have been stored since.
_LAST = sql(
    """SELECT greatest(max(newest.position), (SELECT p.last FROM event_positions p)), event_position(),
              pg_current_xact_id()::text::bigint
       FROM organizations o
       CROSS JOIN LATERAL (
           SELECT e.position FROM events e WHERE e.organization_id = o.id ORDER BY e.position DESC, e.id DESC LIMIT 1
       ) newest""",
    across="a database that was restored elsewhere goes on after the last event of any tenant",
)


async def after(db: Database, tenant: TenantId, place: Place, limit: int) -> Look:
    rows = await db.fetch(_AFTER, tenant, *place, limit)
    events = [FeedEvent(Place(position, id), body) for position, id, body in rows]
    return Look(events, events[-1].place if events else place, is_all=len(events) < limit)


async def after_of_types(
    db: Database, tenant: TenantId, place: Place, types: Sequence[str], *, looks_at: int, limit: int
) -> Look:
    """The first `limit` events of these types among the next `looks_at`."""
    rows = await db.fetch(_AFTER_OF_TYPES, tenant, *place, looks_at, types, limit)
    if not rows:
        return Look([], place, is_all=True)
    *wanted, (position, id, _, number) = rows
    events = [FeedEvent(Place(*row[:2]), row[2]) for row in wanted]
    return Look(events, Place(position, id), is_all=number < looks_at)


async def horizon(db: Database) -> Place:
    """What is read from here on has been committed after this look, or is under way now."""
    return Place(await db.fetchval(_HORIZON), "")


async def note_last_position(db: Database) -> None:
    await db.execute(_NOTE_LAST)


async def is_behind(connection: DatabaseConnection) -> bool:
    """Whether the numbers of transactions have begun anew: what is stored now would come before what is there."""
    return bool((await connection.run(_IS_BEHIND))[0][0])


async def continue_positions(url: str) -> None:
    """Where the numbers of transactions have begun anew, positions go on after the last event all the same."""
    connection = await connect(url, seconds=_SHIFT_SECONDS)
    try:
        async with connection.transaction():
            await connection.run(_LOCK_POSITIONS)
            last, position, transaction = (await connection.run(_LAST))[0]
            if last is not None and last > position:
                await _shift(connection, last + 1 - transaction)
    finally:
        await connection.close()


async def _shift(connection: DatabaseConnection, shift: int) -> None:
    for name, number in (
        ("event_position", "pg_current_xact_id()"),
        ("event_horizon", "pg_snapshot_xmin(pg_current_snapshot())"),
    ):
        await connection.execute(
            f"""CREATE OR REPLACE FUNCTION {name}() RETURNS bigint LANGUAGE sql STABLE
                RETURN {number}::text::bigint + {int(shift)}"""
        )
    log.warning("the database counts its transactions from the beginning; events go on after the last one")
