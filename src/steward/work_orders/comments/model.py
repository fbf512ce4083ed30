"""Comments on a work order. They never change."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from steward.kit.db.constraints import Constraints, Reference
from steward.kit.domain.fields import ActingPerson, Body, Record, Seconds
from steward.kit.domain.list_query import PageQuery, Several
from steward.work_orders import model as work_orders


class CommentVisibility(StrEnum):
    TEAM = "team"
    REPORTER = "reporter"


class Comment(Record, frozen=True):
    id: str
    work_order_id: str
    text: str
    visibility: Annotated[
        CommentVisibility,
        Meta(
            description="`team`: for everybody who may read all work orders; `reporter`: for the order's reporter, too."
        ),
    ]
    created_by: str | None
    created: Seconds


class NewComment(Body, frozen=True):
    text: Annotated[str, Meta(min_length=1, max_length=10_000, pattern=r"\S")]
    visibility: Annotated[
        CommentVisibility | None,
        Meta(
            description="`team` when absent; with `work-orders:request` alone `reporter`, and nothing else (403)."
        ),
    ] = None
    created_by: ActingPerson = None


class CommentQuery(PageQuery, frozen=True):
    visibility: Several[CommentVisibility] | None = None


CONSTRAINTS: Constraints = {
    "comments_author": Reference("createdBy", "user", "comments on work orders"),
}

EXAMPLE = Comment(
    id="cmt_00064a1b2c3d4e5f60718293a4b5",
    work_order_id=work_orders.EXAMPLE.id,
    text="The belt is worn; a new one is ordered.",
    visibility=CommentVisibility.REPORTER,
    created_by="usr_00064a1b2c3d4e5f60718293a4b5",
    created=1767225600,
)
