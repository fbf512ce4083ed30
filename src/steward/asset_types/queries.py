from steward.asset_types.model import AssetType
from steward.kit.db.pagination import Listing, json_columns
from steward.kit.db.table import Table

ASSET_TYPES = Table("asset_types", AssetType, "asset type")
LISTING = Listing("asset_types", json_columns(AssetType))
