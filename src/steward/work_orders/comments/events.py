"""The event of a comment is about its order."""

from typing import ClassVar

from steward.kit.domain.fields import Priority, Record, Seconds
from steward.kit.domain.shared_fields import made_from
from steward.kit.events.event_types import event_type
from steward.kit.security.permissions import Permission
from steward.work_orders.comments.model import EXAMPLE, Comment
from steward.work_orders.model import EXAMPLE as ORDER
from steward.work_orders.model import WorkOrder, WorkOrderStatus


class CommentedOrder(Record, frozen=True, kw_only=True):
    """A work order at the time of a comment."""

    filterable: ClassVar[tuple[str, ...]] = ("location_id", "asset_id", "priority")

    id: str
    number: int
    title: str
    status: WorkOrderStatus
    priority: Priority
    location_id: str | None
    asset_id: str | None
    assignee_id: str | None
    comment: Comment
    created: Seconds
    updated: Seconds

    @classmethod
    def of(cls, order: WorkOrder, comment: Comment) -> "CommentedOrder":
        return made_from(cls, order, comment=comment)


COMMENTED = event_type(
    "workorder.commented",
    "Somebody said something about a work order.",
    CommentedOrder.of(ORDER, EXAMPLE),
    "id number title status priority location_id asset_id assignee_id comment created updated",
    permission=Permission.WORK_ORDERS_READ,
)
