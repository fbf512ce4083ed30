"""Comments: what somebody said about a work order. They stay as they are."""

from typing import Annotated

from msgspec import Meta

from steward.kit.db.constraints import Constraints, Reference
from steward.kit.domain.fields import ActingPerson, Body, Record, Seconds
from steward.work_orders import model as work_orders


class Comment(Record, frozen=True):
    id: str
    work_order_id: str
    text: str
    created_by: str | None
    created: Seconds


class NewComment(Body, frozen=True):
    text: Annotated[str, Meta(min_length=1, max_length=10_000, pattern=r"\S")]
    created_by: ActingPerson = None


CONSTRAINTS: Constraints = {
    "comments_author": Reference("createdBy", "user", "comments on work orders"),
}

EXAMPLE = Comment(
    id="cmt_00064a1b2c3d4e5f60718293a4b5",
    work_order_id=work_orders.EXAMPLE.id,
    text="The belt is worn; a new one is ordered.",
    created_by="usr_00064a1b2c3d4e5f60718293a4b5",
    created=1767225600,
)
