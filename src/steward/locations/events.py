from steward.kit.events.event_types import record_events
from steward.locations.model import EXAMPLE

CREATED, UPDATED, DELETED = record_events("location", "Location", EXAMPLE, was={"name": "Floor 3"})
