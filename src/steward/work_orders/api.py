from functools import partial

from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Need, Permission
from steward.work_orders import actions, queries
from steward.work_orders.actions import Policies
from steward.work_orders.model import (
    EXAMPLE,
    READS,
    REPORTS,
    Completion,
    GivenReason,
    NewWorkOrder,
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
    read_permission=READS,
    write_permission=Permission.WORK_ORDERS_WRITE,
)


def routes(policies: Policies) -> tuple[Route, ...]:
    found = (
        WORK_ORDERS.list("listWorkOrders", "List work orders", query=WorkOrderQuery),
        *WORK_ORDERS.exports("exportWorkOrders", "work orders", query=WorkOrderQuery),
        WORK_ORDERS.create(
            partial(actions.create, policies),
            "createWorkOrder",
            "Create a work order",
            description=f"With `{Permission.WORK_ORDERS_REQUEST}` alone an order is reported in one's own name, neither assigned "
            "nor given a checklist, and without `externalId` and `metadata`.",
            permission=REPORTS,
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
    )
    return synced(WORK_ORDERS, found, "a work order", "work orders", replacement=actions.replacement)


def _moves(policies: Policies) -> tuple[Route, ...]:
    return (
        _move(policies, "start", "startWorkOrder", "Start a work order"),
        _move_with_reason(policies, "hold", "putWorkOrderOnHold", "Put a work order on hold"),
        _move(policies, "resume", "resumeWorkOrder", "Resume a work order"),
        WORK_ORDERS.move_with(
            "complete",
            partial(actions.complete, policies),
            "completeWorkOrder",
            "Complete a work order",
            body=Completion,
            body_example={},
        ),
        _move_with_reason(policies, "cancel", "cancelWorkOrder", "Cancel a work order", REPORTS),
        _move(policies, "reopen", "reopenWorkOrder", "Reopen a work order"),
    )


def _move(policies: Policies, verb: str, operation_id: str, summary: str) -> Route:
    return WORK_ORDERS.move(verb, partial(actions.move, policies, verb), operation_id, summary)


def _move_with_reason(
    policies: Policies,
    verb: str,
    operation_id: str,
    summary: str,
    permission: Need = Permission.WORK_ORDERS_WRITE,
) -> Route:
    return WORK_ORDERS.move_with(
        verb,
        partial(actions.move_with_reason, policies, verb),
        operation_id,
        summary,
        permission=permission,
        body=GivenReason,
        body_example={"reason": "Waiting for a part."},
    )
