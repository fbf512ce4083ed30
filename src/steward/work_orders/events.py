"""What is told of work orders, and which moves they make."""

from collections.abc import Iterable

from steward.kit.domain.fields import Priority, Record, Seconds
from steward.kit.domain.moves import Move, Moves
from steward.kit.events.event_types import EventType, event_type
from steward.work_orders.model import EXAMPLE, WorkOrder, WorkOrderStatus

_CHANGEABLE = "title description priority location_id asset_id assignee_id checklist"

CREATED = event_type(
    "workorder.created",
    "Work order opened.",
    EXAMPLE,
    "id title description status priority location_id assignee_id reported_by "
    "sla_response_deadline sla_resolution_deadline created updated",
)
UPDATED = event_type(
    "workorder.updated",
    "Title, description, priority, assignee etc. modified.",
    EXAMPLE,
    "id title status priority location_id assignee_id created updated",
    previous=f"{_CHANGEABLE} sla_response_deadline sla_resolution_deadline",
    was={"priority": Priority.LOW},
)
STATUS_CHANGED = event_type(
    "workorder.status.changed",
    "Status transitions other than completion.",
    EXAMPLE,
    "id title status priority created updated",
    previous="status",
    was={"status": WorkOrderStatus.IN_PROGRESS},
)
COMPLETED = event_type(
    "workorder.completed",
    "Marked completed.",
    EXAMPLE,
    "id title status priority completed_at completed_by created updated",
    previous="status",
    was={"status": WorkOrderStatus.IN_PROGRESS},
)


class Breach(Record, frozen=True, kw_only=True):
    """A work order at the moment when a deadline of it has passed."""

    id: str
    title: str
    status: WorkOrderStatus
    priority: Priority
    location_id: str | None
    asset_id: str | None
    assignee_id: str | None
    sla_response_deadline: Seconds | None
    sla_resolution_deadline: Seconds | None
    deadline: str
    created: Seconds
    updated: Seconds

    @classmethod
    def of(cls, order: WorkOrder, deadline: str) -> "Breach":
        own = {field: getattr(order, field) for field in cls.__struct_fields__ if field != "deadline"}
        return cls(deadline=deadline, **own)


BREACHED = event_type(
    "workorder.sla.breached",
    "A deadline passed: `deadline` says whether that to respond or that to resolve. Once per deadline.",
    Breach.of(EXAMPLE, "response"),
    "id title status priority location_id assignee_id sla_response_deadline sla_resolution_deadline deadline "
    "created updated",
)

_O, _P, _H, _C, _X = (
    WorkOrderStatus.OPEN,
    WorkOrderStatus.IN_PROGRESS,
    WorkOrderStatus.ON_HOLD,
    WorkOrderStatus.COMPLETED,
    WorkOrderStatus.CANCELLED,
)

MOVES = Moves(
    "work order",
    [
        Move("start", (_O,), _P, STATUS_CHANGED),
        Move("hold", (_P,), _H, STATUS_CHANGED),
        Move("resume", (_H,), _P, STATUS_CHANGED),
        Move("complete", (_P,), _C, COMPLETED),
        Move("cancel", (_O, _P, _H), _X, STATUS_CHANGED),
        Move("reopen", (_C,), _P, STATUS_CHANGED),
    ],
)


def change_events(old: WorkOrder, new: WorkOrder) -> Iterable[EventType | tuple[EventType, Breach]]:
    """A change of fields and a move are two events, even when one request asked for both."""
    for breach in breaches(old, new):
        yield BREACHED, breach
    if any(getattr(old, field) != getattr(new, field) for field in _CHANGEABLE.split()):
        yield UPDATED
    if event := MOVES.event_of(old.status, new.status):
        yield event


def breaches(old: WorkOrder, new: WorkOrder) -> list[Breach]:
    """The deadlines of which `new` notes for the first time that they have passed."""
    found = []
    if old.sla_response_breached_at is None and new.sla_response_breached_at is not None:
        found.append(Breach.of(new, "response"))
    if old.sla_resolution_breached_at is None and new.sla_resolution_breached_at is not None:
        found.append(Breach.of(new, "resolution"))
    return found
