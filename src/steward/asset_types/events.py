from steward.asset_types.model import EXAMPLE
from steward.kit.events.event_types import record_events

CREATED, UPDATED, DELETED = record_events("assettype", "Asset type", EXAMPLE, was={"keep_alive": 3600})
