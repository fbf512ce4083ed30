from steward.alert_rules.model import EXAMPLE
from steward.kit.events.event_types import record_events
from steward.kit.security.permissions import Permission

CREATED, UPDATED, DELETED = record_events(
    "alertrule", "Alert rule", EXAMPLE, permission=Permission.ASSETS_READ, was={"for_seconds": 60}
)
