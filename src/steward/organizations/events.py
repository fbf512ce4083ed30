from steward.kit.events.event_types import event_type
from steward.kit.security.permissions import Permission
from steward.organizations.model import EXAMPLE

UPDATED = event_type(
    "organization.updated",
    "The organization's name, plan or settings changed.",
    EXAMPLE,
    "id name plan created updated telemetry_events",
    previous="name plan telemetry_events",
    was={"name": "Harbour Office"},
    permission=Permission.ORGANIZATION_READ,
)
