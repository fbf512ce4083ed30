from collections.abc import Collection

from steward.assets.model import Asset
from steward.kit.db.listing import SEARCH, Filter, Listing, Sort, folded
from steward.kit.db.lookup import Lookup
from steward.kit.db.query import Database, query
from steward.kit.db.table import Table
from steward.kit.records.archiving import ARCHIVED, PRESENT
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.locations import queries as locations

# An asset without a keepAlive of its own shows its type's, also after that changes.
_KEEP_ALIVE = """coalesce(keep_alive, (SELECT ty.keep_alive FROM asset_types ty
                                       WHERE ty.organization_id = $1 AND ty.id = asset_type_id))"""

ASSETS = Table(
    "assets",
    Asset,
    "asset",
    searched=("name", "external_id", "metadata.serialNumber"),
    mirrors={"organization_id": "organization_id", "is_online": "connection_status"},
    read_as={"keep_alive": _KEEP_ALIVE},
)
LISTING = Listing(
    ASSETS,
    filters={
        "external_id": Filter("external_id = {}", unique=True),
        "location_id": "location_id = {}",
        "within": locations.WITHIN,
        "asset_type_id": "asset_type_id = {}",
        "connection_status": Filter("connection_status = {}", type="boolean"),
        "status": "status = {}",
        "updated_after": "updated >= {}",
        "archived": ARCHIVED,
        "q": SEARCH,
    },
    sorts={
        "name": Sort(folded("name"), "text", indexed_with=("location_id", "within")),
        "updated": Sort("updated"),
    },
)
LOOKUP = Lookup(
    "asset",
    "assets",
    label="name",
    detail="external_id",
    path="/app/assets",
    only=PRESENT,
    permission=Permission.ASSETS_READ,
)


@query("SELECT keep_alive FROM assets WHERE organization_id = $1 AND id = $2")
async def own_keep_alive(db: Database, tenant: TenantId, asset_id: str) -> int | None:
    """None if the asset follows its type."""


@query("UPDATE assets SET keep_alive = $3 WHERE organization_id = $1 AND id = $2")
async def set_keep_alive(db: Database, tenant: TenantId, asset_id: str, seconds: int) -> None: ...


@query("SELECT id, keep_alive FROM assets WHERE organization_id = $1 AND id = ANY ($2::text[])")
async def own_keep_alives(
    db: Database, tenant: TenantId, asset_ids: Collection[str]
) -> dict[str, int | None]: ...
