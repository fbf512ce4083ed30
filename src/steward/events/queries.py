from steward.kit.db.pagination import Filter, Listing
from steward.kit.db.partitions import first_id
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId

# Identifiers sort by time, so "after this second" is a range of them and needs no index of its own.
LISTING = Listing(
    "events",
    {"id": "id"},
    item="convert_from(body, 'UTF8')",
    filters={
        "type": "type = {}",
        "created_after": Filter("id >= {}", lambda _tenant, second: (first_id("evt", second + 1),)),
    },
)

_GET = sql("SELECT body FROM events WHERE organization_id = $1 AND id = $2")


async def body(db: Database, tenant: TenantId, event_id: str) -> bytes | None:
    return await db.fetchval(_GET, tenant, event_id)  # type: ignore[no-any-return]
