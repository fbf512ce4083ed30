from steward.events import queries
from steward.events.model import EventQuery, FoundEvent
from steward.events.rules import visible_query
from steward.kit.db.cursors import Cursors
from steward.kit.db.pagination import Page
from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.events.visibility import may_read
from steward.kit.security.caller import Caller


async def read(db: Database, who: Caller, id: str) -> FoundEvent:
    """404 also for an event whose record the caller may not read."""
    found = await queries.find(db, who.tenant, id)
    if found is None or not may_read(found.type, who.permissions):
        raise NotFound("There is no such event; events are kept for 30 days.")
    return found


async def list_newest(db: Database, cursors: Cursors, who: Caller, query: EventQuery) -> Page:
    return await queries.LISTING.page(db, cursors, who.tenant, visible_query(who, query))
