from steward.asset_types.model import EXAMPLE
from steward.kit.events.event_types import record_events
from steward.kit.security.permissions import Permission

CREATED, UPDATED, DELETED = record_events(
    "assettype", "Asset type", EXAMPLE, permission=Permission.ASSETS_READ, was={"keep_alive": 3600}
)
