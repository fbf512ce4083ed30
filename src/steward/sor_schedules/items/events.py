from steward.kit.events.event_types import record_events
from steward.sor_schedules.items.model import EXAMPLE

CREATED, UPDATED, DELETED = record_events("sor.item", "Item of a draft", EXAMPLE, was={"rate_cents": 4000})
