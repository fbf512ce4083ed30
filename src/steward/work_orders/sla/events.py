from msgspec.structs import replace

from steward.kit.events.event_types import event_type
from steward.kit.security.permissions import Permission
from steward.work_orders.sla.model import DEFAULT_POLICY

UPDATED = event_type(
    "slapolicy.updated",
    "SLA policy of the organization changed.",
    replace(DEFAULT_POLICY, updated=1767225600),
    "targets calendar updated",
    previous="targets calendar",
    was={"targets": {}},
    permission=Permission.WORK_ORDERS_READ,
)
