from steward.asset_types.model import AssetType
from steward.kit.page import Listing, json_columns
from steward.kit.table import Table

ASSET_TYPES = Table("asset_types", AssetType, "asset type")
LISTING = Listing("asset_types", json_columns(AssetType))
