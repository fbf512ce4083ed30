from steward.kit.events.event_types import record_events
from steward.kit.security.permissions import Permission
from steward.locations.model import EXAMPLE

CREATED, UPDATED, DELETED = record_events(
    "location", "Location", EXAMPLE, permission=Permission.LOCATIONS_READ, was={"name": "Floor 3"}
)
