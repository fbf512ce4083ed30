from collections.abc import Iterable
from functools import partial

from steward.kit.domain.fields import Priority
from steward.kit.domain.shared_fields import common_fields, made_from
from steward.kit.events.event_types import Deleted, EventType, event_type
from steward.kit.security.permissions import Permission
from steward.work_orders.model import EXAMPLE, NewWorkOrder, WorkOrder, WorkOrderChanges, WorkOrderStatus

_define = partial(event_type, permission=Permission.WORK_ORDERS_READ)

_CHANGEABLE = common_fields(NewWorkOrder, WorkOrderChanges)

CREATED = _define(
    "workorder.created",
    "Work order opened.",
    EXAMPLE,
    "id title description status priority location_id assignee_id reported_by "
    "sla_response_deadline sla_resolution_deadline created updated",
)
UPDATED = _define(
    "workorder.updated",
    "Title, description, priority, assignee etc. modified.",
    EXAMPLE,
    "id title status priority location_id assignee_id created updated",
    previous=" ".join([*_CHANGEABLE, "sla_response_deadline", "sla_resolution_deadline"]),
    was={"priority": Priority.LOW},
)
STATUS_CHANGED = _define(
    "workorder.status.changed",
    "Status transitions other than completion.",
    EXAMPLE,
    "id title status priority created updated",
    was_status=WorkOrderStatus.IN_PROGRESS,
)
COMPLETED = _define(
    "workorder.completed",
    "Marked completed.",
    EXAMPLE,
    "id title status priority completed_at completed_by created updated",
    was_status=WorkOrderStatus.IN_PROGRESS,
)


DELETED = _define(
    "workorder.deleted", "Work order removed before anything was done.", Deleted(EXAMPLE.id), "id deleted"
)


class Breach(WorkOrder, frozen=True, kw_only=True):
    """A work order when one of its deadlines has passed."""

    deadline: str

    @classmethod
    def of(cls, order: WorkOrder, deadline: str) -> "Breach":
        return made_from(cls, order, deadline=deadline)


BREACHED = _define(
    "workorder.sla.breached",
    "A deadline passed: `deadline` says whether that to respond or that to resolve. Once per deadline.",
    Breach.of(EXAMPLE, "response"),
    "id title status priority location_id assignee_id sla_response_deadline sla_resolution_deadline deadline "
    "created updated",
)


def change_events(old: WorkOrder, new: WorkOrder) -> Iterable[EventType | tuple[EventType, Breach]]:
    """For changed fields and missed deadlines; the rows of moves name their own events."""
    for deadline in ("response", "resolution"):
        noted = f"sla_{deadline}_breached_at"
        if getattr(old, noted) is None and getattr(new, noted) is not None:
            yield BREACHED, Breach.of(new, deadline)
    if any(getattr(old, field) != getattr(new, field) for field in _CHANGEABLE):
        yield UPDATED
