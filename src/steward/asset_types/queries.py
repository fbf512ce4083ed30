from steward.asset_types.model import AssetType
from steward.kit.db.lookup import Lookup
from steward.kit.db.pagination import Listing, json_columns
from steward.kit.db.table import Table
from steward.kit.security.permissions import Permission

ASSET_TYPES = Table("asset_types", AssetType, "asset type")
LISTING = Listing("asset_types", json_columns(AssetType))
LOOKUP = Lookup(
    "asset-type",
    "asset_types",
    label="name",
    path="/app/asset-types",
    searched="lower(name)",
    permission=Permission.ASSETS_READ,
)
