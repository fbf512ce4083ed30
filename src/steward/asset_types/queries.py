from steward.asset_types.model import AssetType
from steward.kit.db.listing import SEARCH, Listing, Sort, folded
from steward.kit.db.lookup import Lookup
from steward.kit.db.table import Table
from steward.kit.security.permissions import Permission

ASSET_TYPES = Table("asset_types", AssetType, "asset type", searched=("name",))
LISTING = Listing(
    ASSET_TYPES,
    filters={"updated_after": "updated >= {}", "q": SEARCH},
    sorts={"name": Sort(folded("name"), "text"), "updated": Sort("updated")},
)
LOOKUP = Lookup(
    "asset-type",
    "asset_types",
    label="name",
    path="/app/asset-types",
    permission=Permission.ASSETS_READ,
)
