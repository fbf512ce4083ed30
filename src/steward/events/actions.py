from steward.assets.events import TELEMETRY_UPDATED
from steward.events import queries
from steward.events.model import EventPart, EventQuery, FoundEvent
from steward.events.rules import visible_query
from steward.kit.db.cursors import Cursors
from steward.kit.db.listing import Listing, Page
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Conflict, NotFound
from steward.kit.events.visibility import may_read
from steward.kit.records.context import Target
from steward.kit.security.caller import Caller, TenantId

_READINGS_ARE_OFF = (
    f"No events of the type {TELEMETRY_UPDATED.name} are written at the moment: the organization has telemetryEvents off, and no "
    'webhook asks for them. Switch them on with PATCH /organizations/{tenant} {{"telemetryEvents": true}}.'
)


async def read(ctx: Target) -> FoundEvent:
    """404 also for an event whose record the caller may not read."""
    found = await queries.find(ctx.db, ctx.tenant, ctx.id)
    if found is None or not may_read(found.type, ctx.who.permissions):
        raise NotFound("There is no such event; events are kept for 30 days.")
    return found


async def list_newest(db: Database, cursors: Cursors, who: Caller, query: EventQuery) -> Page:
    visible = visible_query(who, query)
    listing = await listing_for(db, who.tenant, query.type, query.include)
    return await listing.page(db, cursors, who.tenant, visible)


async def listing_for(
    db: Database, tenant: TenantId, patterns: list[str] | None, parts: list[EventPart] | None
) -> Listing:
    """The list of events with these parts, for pages and exports."""
    await require_written(db, tenant, patterns)
    return queries.LISTING_WITH_ACTOR if parts else queries.LISTING


async def require_written(db: Database, tenant: TenantId, patterns: list[str] | None) -> None:
    """409 for a query that names readings while none are written: the caller would wait for ever."""
    if TELEMETRY_UPDATED.name in (patterns or ()) and not await queries.are_readings_written(db, tenant):
        raise Conflict(_READINGS_ARE_OFF.format(tenant=tenant))
