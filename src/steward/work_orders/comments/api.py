from steward.kit.http.parents import Parent
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.work_orders import queries as work_orders
from steward.work_orders.api import WORK_ORDERS
from steward.work_orders.comments import actions, queries
from steward.work_orders.comments.model import EXAMPLE, Comment, CommentQuery, NewComment
from steward.work_orders.model import READS, REPORTS

_COMMENTS = Resource(
    tag=WORK_ORDERS.tag,
    path=WORK_ORDERS.path + "/{workOrderId}/comments",
    id_name="commentId",
    gives=Comment,
    example=EXAMPLE,
    table=queries.COMMENTS,
    listing=queries.LISTING,
    parent=Parent("workOrderId", work_orders.WORK_ORDERS),
    read_permission=READS,
    write_permission=REPORTS,
)

ROUTES: tuple[Route, ...] = (
    _COMMENTS.list("listCommentsOnWorkOrder", "List the comments on a work order", query=CommentQuery),
    *_COMMENTS.exports("exportCommentsOnWorkOrder", "the comments on a work order", query=CommentQuery),
    _COMMENTS.read("readCommentOnWorkOrder", "Read a comment on a work order"),
    _COMMENTS.create(
        actions.create,
        "commentOnWorkOrder",
        "Comment on a work order",
        description="Possible in every state. The reporter of the order, who may have `work-orders:request` alone, sees comments "
        "with the visibility `reporter`.",
        body=NewComment,
        body_example={"text": "The belt is worn; a new one is ordered.", "visibility": "reporter"},
    ),
)
