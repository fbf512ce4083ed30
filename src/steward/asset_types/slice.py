from steward.asset_types import queries as queries
from steward.asset_types.model import CONSTRAINTS
from steward.kit.web.slice import Slice, site_of

SLICE = Slice(
    name="asset_types",
    tables=("asset_types",),
    constraints=CONSTRAINTS,
    site=site_of("steward.asset_types.api", "steward.asset_types.pages"),
)
