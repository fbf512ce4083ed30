from steward.bookings.resources.model import EXAMPLE
from steward.kit.events.event_types import record_events
from steward.kit.security.permissions import Permission

CREATED, UPDATED, DELETED = record_events(
    "resource", "Bookable resource", EXAMPLE, permission=Permission.BOOKINGS_READ, was={"capacity": 6}
)
