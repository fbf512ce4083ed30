from steward.kit.events.event_types import record_events
from steward.roles.model import EXAMPLE

CREATED, UPDATED, DELETED = record_events("role", "Role", EXAMPLE, was={"permissions": []})
