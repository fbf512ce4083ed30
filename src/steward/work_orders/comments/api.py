from steward.kit.http.resource import Resource
from steward.work_orders.api import WORK_ORDERS
from steward.work_orders.comments import actions, queries
from steward.work_orders.comments.model import EXAMPLE, CommentQuery, NewComment
from steward.work_orders.model import READS, REPORTS

_COMMENTS = Resource(
    noun="comment on a work order",
    plural="the comments on a work order",
    path=f"{WORK_ORDERS.path}{WORK_ORDERS.item}/comments",
    example=EXAMPLE,
    table=queries.COMMENTS,
    listing=queries.LISTING,
    query=CommentQuery,
    parent=WORK_ORDERS,
    read_permission=READS,
    write_permission=REPORTS,
)

ROUTES = (
    *_COMMENTS.reads(),
    _COMMENTS.create(
        actions.create,
        NewComment,
        summary="Comment on a work order",
        description="Possible in every state. The reporter of the order, who may have `work-orders:request` alone, sees comments "
        "with the visibility `reporter`.",
        body_example={"text": "The belt is worn; a new one is ordered.", "visibility": "reporter"},
    ),
)
