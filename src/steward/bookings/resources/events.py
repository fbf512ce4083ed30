from steward.bookings.resources.model import EXAMPLE
from steward.kit.events.event_types import record_events

CREATED, UPDATED, DELETED = record_events("resource", "Bookable resource", EXAMPLE, was={"capacity": 6})
