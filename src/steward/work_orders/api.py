from functools import partial
from typing import Any

from steward.kit.http.resource import Parent, Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission
from steward.work_orders import actions, queries
from steward.work_orders.actions import Policies
from steward.work_orders.model import (
    EXAMPLE,
    Comment,
    NewComment,
    NewWorkOrder,
    WithReason,
    WorkOrder,
    WorkOrderChanges,
    WorkOrderQuery,
)

WORK_ORDERS = Resource(
    tag="Work orders",
    path="/organizations/{orgId}/work-orders",
    id_name="workOrderId",
    gives=WorkOrder,
    example=EXAMPLE,
    table=queries.WORK_ORDERS,
    listing=queries.LISTING,
    read_permission=Permission.WORK_ORDERS_READ,
    write_permission=Permission.WORK_ORDERS_WRITE,
)


_COMMENTS = Resource(
    tag="Work orders",
    path=WORK_ORDERS.path + "/{workOrderId}/comments",
    id_name="commentId",
    gives=Comment,
    example=Comment(
        id="cmt_00064a1b2c3d4e5f60718293a4b5",
        work_order_id=EXAMPLE.id,
        text="The belt is worn; a new one is ordered.",
        created_by="usr_00064a1b2c3d4e5f60718293a4b5",
        created=1767225600,
    ),
    table=queries.COMMENTS,
    listing=queries.COMMENT_LISTING,
    parent=Parent("workOrderId", queries.WORK_ORDERS),
    read_permission=Permission.WORK_ORDERS_READ,
    write_permission=Permission.WORK_ORDERS_WRITE,
)


def routes(policies: Policies) -> tuple[Route, ...]:
    return (
        WORK_ORDERS.list("listWorkOrders", "List work orders", query=WorkOrderQuery),
        *WORK_ORDERS.exports("exportWorkOrders", "work orders", query=WorkOrderQuery),
        WORK_ORDERS.create(
            partial(actions.create, policies),
            "createWorkOrder",
            "Create a work order",
            body=NewWorkOrder,
            body_example={"title": "Air handler 3 is noisy", "priority": "High"},
        ),
        WORK_ORDERS.read("readWorkOrder", "Read a work order"),
        WORK_ORDERS.change(
            partial(actions.change, policies),
            "changeWorkOrder",
            "Change a work order",
            description="A changed status performs the move that leads there. Completed and cancelled orders stay as "
            "they are.",
            body=WorkOrderChanges,
            body_example={"priority": "Critical"},
            refusals={409: "Not in this state; the message names what is allowed."},
        ),
        WORK_ORDERS.delete(
            actions.delete,
            "deleteWorkOrder",
            "Delete a work order",
            refusals={409: "Something has happened to it already; cancel it instead."},
        ),
        *_moves(policies),
        _COMMENTS.list("listCommentsOnWorkOrder", "List the comments on a work order"),
        _COMMENTS.read("readCommentOnWorkOrder", "Read a comment on a work order"),
        _COMMENTS.create(
            actions.comment,
            "commentOnWorkOrder",
            "Comment on a work order",
            description="Possible in every state.",
            body=NewComment,
            body_example={"text": "The belt is worn; a new one is ordered."},
        ),
    )


def _moves(policies: Policies) -> tuple[Route, ...]:
    reason: dict[str, Any] = {"body": WithReason, "body_example": {"reason": "Waiting for a part."}}
    return (
        WORK_ORDERS.move("start", actions.start, "startWorkOrder", "Start a work order"),
        WORK_ORDERS.move_with(
            "hold", actions.hold, "putWorkOrderOnHold", "Put a work order on hold", **reason
        ),
        WORK_ORDERS.move(
            "resume", partial(actions.resume, policies), "resumeWorkOrder", "Resume a work order"
        ),
        WORK_ORDERS.move("complete", actions.complete, "completeWorkOrder", "Complete a work order"),
        WORK_ORDERS.move_with("cancel", actions.cancel, "cancelWorkOrder", "Cancel a work order", **reason),
        WORK_ORDERS.move(
            "reopen", partial(actions.reopen, policies), "reopenWorkOrder", "Reopen a work order"
        ),
    )
