from steward.bookings.feeds.model import MAX_ENTRIES, Entry, MadeCalendarLink
from steward.bookings.rules import MAX_BOOKING_SECONDS
from steward.bookings.slots import Slot
from steward.kit.db.listing import Listing, json_columns
from steward.kit.db.query import Database, query
from steward.kit.security.caller import TenantId

LISTING = Listing(
    "calendar_links", json_columns(MadeCalendarLink), filters={"resource_id": "resource_id = {}"}
)


@query(
    """INSERT INTO calendar_links (organization_id, resource_id, token_hash, created) VALUES ($1, $2, $3, $4)
       ON CONFLICT (organization_id, resource_id) DO UPDATE
       SET token_hash = excluded.token_hash, created = excluded.created"""
)
async def put_link(db: Database, tenant: TenantId, resource_id: str, token_hash: bytes, now: int) -> None:
    """Replaces the resource's link."""


@query("DELETE FROM calendar_links WHERE organization_id = $1 AND resource_id = $2 RETURNING resource_id")
async def delete_link(db: Database, tenant: TenantId, resource_id: str) -> bool:
    """Whether there was one."""


@query("SELECT created FROM calendar_links WHERE organization_id = $1 AND resource_id = $2")
async def link_made(db: Database, tenant: TenantId, resource_id: str) -> int | None:
    """When the resource's link was made; None if it has none."""


@query(
    """SELECT l.organization_id, l.resource_id, r.name FROM calendar_links l
       JOIN bookable_resources r ON r.organization_id = l.organization_id AND r.id = l.resource_id
       WHERE l.organization_id = $1 AND l.token_hash = $2"""
)
async def find_link(db: Database, organization: str, token_hash: bytes) -> tuple[TenantId, str, str] | None:
    """Tenant, identifier and name of the resource. The secret is the credential."""


@query(
    f"""SELECT id, title, start_time, end_time, updated FROM bookings
       WHERE organization_id = $1 AND resource_id = $2 AND end_time > $3 AND end_time < $4::bigint + {MAX_BOOKING_SECONDS}
         AND start_time < $4 AND status IN ('Confirmed', 'CheckedIn')
       ORDER BY end_time LIMIT {MAX_ENTRIES}"""
)
async def entries(db: Database, tenant: TenantId, resource_id: str, shown: Slot) -> list[Entry]: ...
