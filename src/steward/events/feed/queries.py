"""Events in the order of their positions, as far as nothing can come in between any more."""

from collections.abc import Sequence

from steward.events.feed.model import FeedEvent, Place
from steward.kit.db.connection import DatabaseConnection, connect
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.runtime.log import log
from steward.kit.security.caller import TenantId

# Looking for the last event of all goes over everything that is kept.
_SHIFT_SECONDS = 600

_AFTER = sql(
    """SELECT position, id, convert_from(body, 'UTF8')
       FROM events
       WHERE organization_id = $1 AND (position, id) > ($2::bigint, $3::text) AND position < event_horizon()
       ORDER BY position, id LIMIT $4"""
)
# Without the bodies of those that nobody asked for.
_AFTER_OF_TYPES = sql(
    """SELECT position, id, CASE WHEN type = ANY ($5::text[]) THEN convert_from(body, 'UTF8') END
       FROM events
       WHERE organization_id = $1 AND (position, id) > ($2::bigint, $3::text) AND position < event_horizon()
       ORDER BY position, id LIMIT $4"""
)
_LAST_COMPLETE = sql("SELECT event_horizon() - 1")

_NOTE_LAST = sql(
    "UPDATE event_positions SET last = greatest(last, event_position())",
    across="positions are numbers of transactions, which tenants share",
)
_IS_BEHIND = sql(
    "SELECT last > event_position() FROM event_positions",
    across="positions are numbers of transactions, which tenants share",
)
_SHIFT = sql(
    """SELECT greatest(max(e.position), (SELECT p.last FROM event_positions p)) - pg_current_xact_id()::text::bigint + 1
       FROM events e""",
    across="a database that was restored elsewhere goes on after the last event of any tenant",
)


async def after(
    db: Database, tenant: TenantId, place: Place, types: Sequence[str] | None, limit: int
) -> list[FeedEvent]:
    """The events after a place; those of other types than the wanted ones without a body."""
    if types is None:
        rows = await db.fetch(_AFTER, tenant, *place, limit)
    else:
        rows = await db.fetch(_AFTER_OF_TYPES, tenant, *place, limit, types)
    return [FeedEvent(Place(position, id), body) for position, id, body in rows]


async def last_complete(db: Database) -> Place:
    """What is read after this place has been committed after this look, or is under way now."""
    return Place(await db.fetchval(_LAST_COMPLETE), "~")


async def note_last_position(db: Database) -> None:
    await db.execute(_NOTE_LAST)


async def continue_positions(url: str) -> None:
    """Where the numbers of transactions have begun anew, positions go on after the last event all the same."""
    connection = await connect(url, seconds=_SHIFT_SECONDS)
    try:
        if (await connection.run(_IS_BEHIND))[0][0]:
            await _shift(connection)
    finally:
        await connection.close()


async def _shift(connection: DatabaseConnection) -> None:
    async with connection.transaction():
        shift = int((await connection.run(_SHIFT))[0][0])
        for name, number in (
            ("event_position", "pg_current_xact_id()"),
            ("event_horizon", "pg_snapshot_xmin(pg_current_snapshot())"),
        ):
            await connection.execute(
                f"""CREATE OR REPLACE FUNCTION {name}() RETURNS bigint LANGUAGE sql STABLE
                    RETURN {number}::text::bigint + {shift}"""
            )
    log.warning("the database counts its transactions from the beginning; events go on after the last one")
