"""Work orders: maintenance tasks with a priority, an assignee and deadlines, numbered 1, 2, 3 … in each organization."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType

from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain.fields import (
    ActingPerson,
    Body,
    ExternalId,
    Identifier,
    Metadata,
    Name,
    Priority,
    Record,
    Seconds,
    Text,
)
from steward.kit.domain.list_query import Several, UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of
from steward.kit.security.permissions import Either, Permission
from steward.locations.model import LocatedPageQuery

# A reporter may follow, comment on and cancel their order; the work itself is for others.
READS = Either(Permission.WORK_ORDERS_READ, Permission.WORK_ORDERS_REQUEST)
REPORTS = Either(Permission.WORK_ORDERS_WRITE, Permission.WORK_ORDERS_REQUEST)


class WorkOrderStatus(StrEnum):
    OPEN = "Open"
    IN_PROGRESS = "InProgress"
    ON_HOLD = "OnHold"
    COMPLETED = "Completed"
    CANCELLED = "Cancelled"


class ChecklistItem(Record, frozen=True):
    id: str
    text: str
    done: bool
    done_by: str | None
    done_at: Seconds | None


class WorkOrder(Record, frozen=True, kw_only=True):
    filterable: ClassVar[tuple[str, ...]] = ("location_id", "asset_id", "priority")

    id: str
    number: Annotated[int, Meta(description="1, 2, 3 … within the organization.")]
    title: str
    description: str | None = None
    status: WorkOrderStatus = WorkOrderStatus.OPEN
    priority: Priority
    location_id: str | None = None
    asset_id: str | None = None
    assignee_id: str | None = None
    reported_by: str | None = None
    checklist: list[ChecklistItem] = []
    comment_count: int = 0
    reporter_comment_count: Annotated[int, Meta(description="Comments that the reporter can see.")] = 0
    external_id: str | None = None
    metadata: dict[str, Any] = {}
    hold_reason: str | None = None
    cancel_reason: str | None = None
    responded_at: Seconds | None = None
    completed_at: Seconds | None = None
    completed_by: str | None = None
    sla_response_deadline: Seconds | None = None
    sla_resolution_deadline: Seconds | None = None
    sla_response_breached_at: Seconds | None = None
    sla_resolution_breached_at: Seconds | None = None
    sla_paused_since: Seconds | None = None
    sla_paused_seconds: Annotated[
        int, Meta(description="Working time that the resolution clock stood still.")
    ] = 0
    created: Seconds
    updated: Seconds


MAX_CHECKLIST = 100


class NewChecklistItem(Body, frozen=True):
    """An existing item is named by its id."""

    text: Name
    done: bool = False
    id: Identifier | None = None
    done_by: ActingPerson = None


class TickedItem(Body, frozen=True):
    """An item to tick or untick; without an id a new one."""

    id: Identifier | None = None
    text: Name | None = None
    done: bool = False


Checklist = Annotated[list[NewChecklistItem], Meta(max_length=MAX_CHECKLIST)]
Reason = Annotated[str, Meta(min_length=1, max_length=1000, pattern=r"\S")]


class NewWorkOrder(Body, frozen=True):
    title: Name
    description: Text | None = None
    priority: Priority = Priority.MEDIUM
    location_id: Identifier | None = None
    asset_id: Identifier | None = None
    assignee_id: Annotated[Identifier | None, Meta(description="A user of the organization.")] = None
    reported_by: Annotated[
        Identifier | None, Meta(description="A user of the organization; the caller, when absent.")
    ] = None
    checklist: Checklist = []
    external_id: ExternalId | None = None
    metadata: Metadata = {}


@changes_of(NewWorkOrder, without="reported_by")
class WorkOrderChanges(Body, frozen=True):
    """A changed `status` performs the move that leads there, with the reason that the move needs."""

    assignee_id: Identifier | UnsetType | None = UNSET
    checklist: Checklist | UnsetType | None = UNSET
    status: WorkOrderStatus | UnsetType = UNSET
    hold_reason: Reason | UnsetType = UNSET
    cancel_reason: Reason | UnsetType = UNSET
    completed_by: ActingPerson | UnsetType = UNSET


class GivenReason(Body, frozen=True):
    reason: Reason


class Completion(Body, frozen=True):
    completed_by: ActingPerson = None


# The filter value for orders without an assignee.
NOBODY = "none"


class WorkOrderQuery(LocatedPageQuery, frozen=True):
    status: Several[WorkOrderStatus] | None = None
    priority: Several[Priority] | None = None
    assignee_id: Annotated[
        Several[Identifier] | None, Meta(description="A user; `none` for orders that nobody is assigned to.")
    ] = None
    reported_by: Several[Identifier] | None = None
    asset_id: Several[Identifier] | None = None
    number: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    external_id: ExternalId | None = None
    updated_after: UpdatedAfter = None
    overdue: Annotated[
        bool | None, Meta(description="Whether the deadline to resolve has passed while nobody completed it.")
    ] = None
    q: Annotated[str | None, Meta(description="Words to be found in title or description.")] = None

    @staticmethod
    def as_filters(given: dict[str, Any]) -> dict[str, Any]:
        """Some values need another condition, so that an index can be used."""
        filters = LocatedPageQuery.as_filters(given)
        assignees = filters.get("assignee_id", ())
        if assignees == NOBODY:
            filters["unassigned"] = filters.pop("assignee_id") == NOBODY
        elif NOBODY in assignees and isinstance(assignees, list):
            filters["assignee_or_nobody"] = filters.pop("assignee_id")
        if filters.get("overdue") is False:
            filters["in_time"] = not filters.pop("overdue")
        return filters


CONSTRAINTS: Constraints = {
    "work_orders_external_id_unique": Taken("A work order with this externalId exists already."),
    "work_orders_assignee": Reference("assigneeId", "user", "work orders"),
    "work_orders_reporter": Reference("reportedBy", "user", "work orders"),
    "work_orders_completer": Reference("completedBy", "user", "work orders"),
    "work_orders_location": Reference("locationId", "location", "work orders"),
    "work_orders_asset": Reference("assetId", "asset", "work orders"),
}

EXAMPLE = example_of(
    WorkOrder,
    id="wo_00064a1b2c3d4e5f60718293a4b5",
    number=1,
    title="Air handler 3 is noisy",
    description="Grinding noise since this morning, third floor.",
    priority=Priority.HIGH,
    location_id="loc_00064a1b2c3d4e5f60718293a4b5",
    reported_by="usr_00064a1b2c3d4e5f60718293a4b5",
    external_id="ERP-0042",
    metadata={"costCentre": "4711"},
    sla_response_deadline=1767229200,
    sla_resolution_deadline=1767254400,
)
