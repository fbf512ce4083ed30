from steward.bookings.feeds.model import MAX_ENTRIES, Entry, MadeCalendarLink
from steward.bookings.rules import MAX_BOOKING_SECONDS
from steward.bookings.slots import Slot
from steward.kit.db.listing import Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId

LISTING = Listing(
    "calendar_links", json_columns(MadeCalendarLink), filters={"resource_id": "resource_id = {}"}
)

_PUT_LINK = sql(
    """INSERT INTO calendar_links (organization_id, resource_id, token_hash, created) VALUES ($1, $2, $3, $4)
       ON CONFLICT (organization_id, resource_id) DO UPDATE
       SET token_hash = excluded.token_hash, created = excluded.created"""
)
_FIND_LINK = sql(
    """SELECT l.organization_id, l.resource_id, r.name FROM calendar_links l
       JOIN bookable_resources r ON r.organization_id = l.organization_id AND r.id = l.resource_id
       WHERE l.organization_id = $1 AND l.token_hash = $2"""
)
_DELETE_LINK = sql(
    "DELETE FROM calendar_links WHERE organization_id = $1 AND resource_id = $2 RETURNING resource_id"
)
_LINK_MADE = sql("SELECT created FROM calendar_links WHERE organization_id = $1 AND resource_id = $2")
_ENTRIES = sql(
    """SELECT id, title, start_time, end_time, updated FROM bookings
       WHERE organization_id = $1 AND resource_id = $2 AND end_time > $3 AND end_time < $4::bigint + $5::bigint
         AND start_time < $4 AND status IN ('Confirmed', 'CheckedIn')
       ORDER BY end_time LIMIT $6"""
)


async def put_link(db: Database, tenant: TenantId, resource_id: str, token_hash: bytes, now: int) -> None:
    """Replaces the resource's link."""
    await db.execute(_PUT_LINK, tenant, resource_id, token_hash, now)


async def delete_link(db: Database, tenant: TenantId, resource_id: str) -> bool:
    """Whether there was one."""
    return await db.fetchval(_DELETE_LINK, tenant, resource_id) is not None


async def link_made(db: Database, tenant: TenantId, resource_id: str) -> int | None:
    """When the resource's link was made; None if it has none."""
    made: int | None = await db.fetchval(_LINK_MADE, tenant, resource_id)
    return made


async def find_link(db: Database, organization: str, token_hash: bytes) -> tuple[TenantId, str, str] | None:
    """Tenant, identifier and name of the resource. The secret is the credential."""
    row = await db.fetchrow(_FIND_LINK, organization, token_hash)
    return None if row is None else (row[0], row[1], row[2])


async def entries(db: Database, tenant: TenantId, resource_id: str, shown: Slot) -> list[Entry]:
    rows = await db.fetch(
        _ENTRIES, tenant, resource_id, shown.start_time, shown.end_time, MAX_BOOKING_SECONDS, MAX_ENTRIES
    )
    return [Entry(*row) for row in rows]
