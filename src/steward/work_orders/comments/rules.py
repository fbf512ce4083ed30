from steward.kit.domain.ids import new_id
from steward.work_orders.comments.model import Comment, NewComment


def new_comment(work_order_id: str, new: NewComment, by: str | None, now: int) -> Comment:
    return Comment(new_id("cmt"), work_order_id, new.text, by, now)
