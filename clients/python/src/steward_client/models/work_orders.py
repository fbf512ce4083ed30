"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import ItemError, Priority, PriorityLike


class AlwaysOpen(Model, kw_only=True, tag_field="mode", tag="24x7"):
    """The clocks always run."""


class ChecklistItem(Model, kw_only=True):
    id: str
    text: str
    done: bool
    done_by: str | None
    done_at: int | None
    """Unix seconds."""


class CommentVisibility(OpenEnum):
    REPORTER = "reporter"
    TEAM = "team"


CommentVisibilityLike: TypeAlias = CommentVisibility | Literal["reporter", "team"]


class Comment(Record, kw_only=True):
    id: str
    work_order_id: str
    text: str
    visibility: CommentVisibility
    """`team`: for everybody who may read all work orders; `reporter`: for the order's reporter, too."""
    created_by: str | None
    created: int
    """Unix seconds."""


class Completion(Model, kw_only=True):
    completed_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class GivenReason(Model, kw_only=True):
    reason: str


class NewChecklistItem(Model, kw_only=True):
    """An existing item is named by its id."""

    text: str
    done: bool | UnsetType = UNSET
    id: str | UnsetType | None = UNSET
    done_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class NewComment(Model, kw_only=True):
    text: str
    visibility: CommentVisibilityLike | UnsetType | None = UNSET
    """`team` when absent; with `work-orders:request` alone `reporter`, and nothing else (403)."""
    created_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class SlaTarget(Model, kw_only=True):
    response_minutes: int
    resolution_minutes: int


class OpeningHours(Model, kw_only=True):
    """A span of a day, in wall-clock time. `24:00` ends a day."""

    from_: str
    to: str


class WeeklyHours(Model, kw_only=True, tag_field="mode", tag="weekly"):
    """The clocks run in these hours, except on holidays."""

    timezone: str
    monday: list[OpeningHours] = []
    tuesday: list[OpeningHours] = []
    wednesday: list[OpeningHours] = []
    thursday: list[OpeningHours] = []
    friday: list[OpeningHours] = []
    saturday: list[OpeningHours] = []
    sunday: list[OpeningHours] = []
    holidays: list[str] = []


class NewSlaPolicy(Model, kw_only=True):
    targets: Mapping[str, SlaTarget | Mapping[str, Any]]
    """One for each priority."""
    calendar: AlwaysOpen | Mapping[str, Any] | WeeklyHours | UnsetType = UNSET


class NewWorkOrder(Model, kw_only=True):
    title: str
    description: str | UnsetType | None = UNSET
    priority: PriorityLike | UnsetType = UNSET
    location_id: str | UnsetType | None = UNSET
    asset_id: str | UnsetType | None = UNSET
    assignee_id: str | UnsetType | None = UNSET
    """A user of the organization."""
    reported_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent."""
    checklist: Sequence[NewChecklistItem | Mapping[str, Any]] | UnsetType = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class SlaPolicy(Record, kw_only=True):
    targets: dict[str, SlaTarget]
    calendar: AlwaysOpen | WeeklyHours
    updated: int | None = None
    """Unix seconds."""


class WorkOrderStatus(OpenEnum):
    CANCELLED = "Cancelled"
    COMPLETED = "Completed"
    IN_PROGRESS = "InProgress"
    ON_HOLD = "OnHold"
    OPEN = "Open"


WorkOrderStatusLike: TypeAlias = (
    WorkOrderStatus | Literal["Cancelled", "Completed", "InProgress", "OnHold", "Open"]
)


class WorkOrder(Record, kw_only=True):
    id: str
    number: int
    """1, 2, 3 … within the organization."""
    title: str
    description: str | None = None
    status: WorkOrderStatus = WorkOrderStatus("Open")
    priority: Priority
    location_id: str | None = None
    asset_id: str | None = None
    assignee_id: str | None = None
    reported_by: str | None = None
    checklist: list[ChecklistItem] = []
    comment_count: int = 0
    reporter_comment_count: int = 0
    """Comments that the reporter can see."""
    external_id: str | None = None
    metadata: dict[str, Any] = {}
    hold_reason: str | None = None
    cancel_reason: str | None = None
    responded_at: int | None = None
    """Unix seconds."""
    completed_at: int | None = None
    """Unix seconds."""
    completed_by: str | None = None
    sla_response_deadline: int | None = None
    """Unix seconds."""
    sla_resolution_deadline: int | None = None
    """Unix seconds."""
    sla_response_breached_at: int | None = None
    """Unix seconds."""
    sla_resolution_breached_at: int | None = None
    """Unix seconds."""
    sla_paused_since: int | None = None
    """Unix seconds."""
    sla_paused_seconds: int = 0
    """Working time that the resolution clock stood still."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class WorkOrderChanges(Model, kw_only=True):
    """A changed `status` performs the move that leads there, with the reason that the move needs."""

    title: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    priority: PriorityLike | UnsetType = UNSET
    location_id: str | UnsetType | None = UNSET
    asset_id: str | UnsetType | None = UNSET
    assignee_id: str | UnsetType | None = UNSET
    checklist: Sequence[NewChecklistItem | Mapping[str, Any]] | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType | None = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""
    status: WorkOrderStatusLike | UnsetType = UNSET
    hold_reason: str | UnsetType = UNSET
    cancel_reason: str | UnsetType = UNSET
    completed_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class WorkOrderMove(OpenEnum):
    CANCEL = "cancel"
    COMPLETE = "complete"
    HOLD = "hold"
    REOPEN = "reopen"
    RESUME = "resume"
    START = "start"


WorkOrderMoveLike: TypeAlias = (
    WorkOrderMove | Literal["cancel", "complete", "hold", "reopen", "resume", "start"]
)


class WorkOrderBatchItem(Model, kw_only=True):
    create: NewWorkOrder | Mapping[str, Any] | UnsetType = UNSET
    change: WorkOrderChanges | Mapping[str, Any] | UnsetType = UNSET
    replace: NewWorkOrder | Mapping[str, Any] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    external_id: str | UnsetType = UNSET
    """What another system calls it; unique within the organization and kind."""
    if_match: str | UnsetType = UNSET
    move: WorkOrderMoveLike | UnsetType = UNSET
    body: Mapping[str, Any] | UnsetType = UNSET
    delete: bool | UnsetType = UNSET
    """`true`."""


class WorkOrderBatch(Model, kw_only=True):
    items: Sequence[WorkOrderBatchItem | Mapping[str, Any]]
    atomic: bool | UnsetType = UNSET


class WorkOrderBatchResult(Model, kw_only=True):
    index: int
    status: int
    """What the operation by itself answers."""
    data: WorkOrder | None
    """Null when it was deleted, too."""
    etag: str | None
    """As in the header, with its quotes. For `ifMatch`."""
    error: ItemError | None


class WorkOrderBatchReport(Record, kw_only=True):
    atomic: bool
    succeeded: int
    failed: int
    results: list[WorkOrderBatchResult]


class WorkOrdersSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    NUMBER_DESCENDING = "-number"
    PRIORITY_DESCENDING = "-priority"
    SLA_RESOLUTION_DEADLINE_DESCENDING = "-slaResolutionDeadline"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    NUMBER = "number"
    PRIORITY = "priority"
    SLA_RESOLUTION_DEADLINE = "slaResolutionDeadline"
    UPDATED = "updated"


WorkOrdersSortLike: TypeAlias = (
    WorkOrdersSort
    | Literal[
        "-created",
        "-number",
        "-priority",
        "-slaResolutionDeadline",
        "-updated",
        "created",
        "number",
        "priority",
        "slaResolutionDeadline",
        "updated",
    ]
)
