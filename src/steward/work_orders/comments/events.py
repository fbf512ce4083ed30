"""The event of a comment is about its order."""

from steward.kit.domain.shared_fields import made_from
from steward.kit.events.event_types import event_type
from steward.kit.security.permissions import Permission
from steward.work_orders.comments.model import EXAMPLE, Comment
from steward.work_orders.model import EXAMPLE as ORDER
from steward.work_orders.model import WorkOrder


class CommentedOrder(WorkOrder, frozen=True, kw_only=True):
    """A work order at the time of a comment."""

    # The document of the event has no description of it.
    number: int
    comment: Comment

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
