"""Work orders: maintenance tasks with a priority, numbered 1, 2, 3 … in each organization."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from steward.kit.constraints import Constraints, Reference
from steward.kit.fields import Body, Identifier, Name, Record, Seconds, Text
from steward.kit.page import PageQuery


class Priority(StrEnum):
    LOW = "Low"
    MEDIUM = "Medium"
    HIGH = "High"
    CRITICAL = "Critical"


class Status(StrEnum):
    OPEN = "Open"
    IN_PROGRESS = "InProgress"
    ON_HOLD = "OnHold"
    COMPLETED = "Completed"
    CANCELLED = "Cancelled"


class WorkOrder(Record, frozen=True):
    id: str
    number: Annotated[int, Meta(description="1, 2, 3 … within the organization.")]
    title: str
    description: str | None
    status: Status
    priority: Priority
    assignee_id: str | None
    reported_by: str | None
    created: Seconds
    updated: Seconds


class NewWorkOrder(Body, frozen=True):
    title: Name
    description: Text | None = None
    priority: Priority = Priority.MEDIUM
    assignee_id: Annotated[Identifier | None, Meta(description="A user of the organization.")] = None
    reported_by: Annotated[
        Identifier | None, Meta(description="A user of the organization; the caller, when absent.")
    ] = None


class WorkOrderQuery(PageQuery, frozen=True):
    status: Status | None = None


CONSTRAINTS: Constraints = {
    "work_orders_assignee": Reference("assigneeId", "user", "work orders"),
    "work_orders_reporter": Reference("reportedBy", "user", "work orders"),
}
