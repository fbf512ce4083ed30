from steward.kit.events.event_types import record_events
from steward.kit.security.permissions import Permission
from steward.sor_schedules.items.model import EXAMPLE

CREATED, UPDATED, DELETED = record_events(
    "sor.item", "Item of a draft", EXAMPLE, permission=Permission.SOR_READ, was={"rate_cents": 4000}
)
