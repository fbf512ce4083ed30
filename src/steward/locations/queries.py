from steward.kit.db.pagination import SEARCH, Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.locations.model import Location

LOCATIONS = Table("locations", Location, "location", searched=("name", "code"))
LISTING = Listing(
    "locations",
    json_columns(Location),
    filters={
        "parent_id": "parent_id = {}",
        "type": "type = {}",
        "code": "code = {}",
        "updated_after": "updated > {}",
        "q": SEARCH,
    },
)

_ANCESTORS = sql(
    """WITH RECURSIVE above AS (
           SELECT l.id, l.parent_id FROM locations l WHERE l.organization_id = $1 AND l.id = $2
           UNION
           SELECT l.id, l.parent_id FROM locations l JOIN above ON l.id = above.parent_id
           WHERE l.organization_id = $1
       )
       SELECT id FROM above"""
)
_LOCK_TREE = sql("SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE")


async def ancestors(db: Database, tenant: TenantId, location_id: str) -> list[str]:
    """The location itself and everything above it."""
    return [row[0] for row in await db.fetch(_ANCESTORS, tenant, location_id)]


async def lock_tree(db: Database, tenant: TenantId) -> None:
    """Two moves at once could close a circle that neither of them sees."""
    await db.execute(_LOCK_TREE, tenant)
