from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Forbidden
from steward.kit.security.caller import Caller
from steward.work_orders.comments.model import Comment, CommentVisibility, NewComment
from steward.work_orders.model import REPORTS, WorkOrder
from steward.work_orders.rules import own_records_only

_TEAM, _REPORTER = CommentVisibility.TEAM, CommentVisibility.REPORTER


def visibility(new: NewComment, who: Caller) -> CommentVisibility:
    """For the team by default; a requester's are for the reporter, since they couldn't read others."""
    if own_records_only(who) is None:
        return new.visibility or _TEAM
    if new.visibility is _TEAM:
        raise Forbidden(f"Comments for the team need the permission {REPORTS.permission}.")
    return _REPORTER


def new_comment(
    work_order_id: str, new: NewComment, seen: CommentVisibility, by: str | None, now: int
) -> Comment:
    return Comment(new_id("cmt"), work_order_id, new.text, seen, by, now)


def counted(order: WorkOrder, comment: Comment) -> WorkOrder:
    """The order counts its comments, so that a new comment changes the order's version."""
    for_reporter = order.reporter_comment_count + (comment.visibility is _REPORTER)
    return replace(order, comment_count=order.comment_count + 1, reporter_comment_count=for_reporter)
