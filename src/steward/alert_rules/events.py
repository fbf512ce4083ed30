from steward.alert_rules.model import EXAMPLE
from steward.kit.events.event_types import record_events

CREATED, UPDATED, DELETED = record_events("alertrule", "Alert rule", EXAMPLE, was={"for_seconds": 60})
