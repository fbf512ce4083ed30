from steward.kit.events.event_types import record_events
from steward.kit.security.permissions import Permission
from steward.roles.model import EXAMPLE

CREATED, UPDATED, DELETED = record_events(
    "role", "Role", EXAMPLE, permission=Permission.ROLES_READ, was={"permissions": []}
)
