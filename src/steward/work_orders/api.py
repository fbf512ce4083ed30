from functools import partial
from typing import Unpack

from steward.kit.http.resource import Resource
from steward.kit.http.route import Route, RouteOptions
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission
from steward.work_orders import actions, queries
from steward.work_orders.actions import Policies
from steward.work_orders.model import (
    EXAMPLE,
    READS,
    REPORTS,
    Completion,
    GivenReason,
    NewWorkOrder,
    WorkOrderChanges,
    WorkOrderQuery,
)

WORK_ORDERS = Resource(
    path="/organizations/{orgId}/work-orders",
    example=EXAMPLE,
    table=queries.WORK_ORDERS,
    listing=queries.LISTING,
    query=WorkOrderQuery,
    read_permission=READS,
    write_permission=Permission.WORK_ORDERS_WRITE,
)


def routes(policies: Policies) -> tuple[Route, ...]:
    return synced(
        WORK_ORDERS,
        *WORK_ORDERS.reads(),
        WORK_ORDERS.create(
            partial(actions.create, policies),
            NewWorkOrder,
            description=f"With `{Permission.WORK_ORDERS_REQUEST}` alone an order is reported in one's own name, neither assigned "
            "nor given a checklist, and without `externalId` and `metadata`.",
            permission=REPORTS,
            body_example={"title": "Air handler 3 is noisy", "priority": "High"},
        ),
        WORK_ORDERS.change(
            partial(actions.change, policies),
            WorkOrderChanges,
            description="A changed status performs the move that leads there. Completed and cancelled orders stay as "
            "they are.",
            body_example={"priority": "Critical"},
            refusals={409: "Not in this state; the message names what is allowed."},
        ),
        WORK_ORDERS.delete(
            actions.delete, refusals={409: "Something has happened to it already; cancel it instead."}
        ),
        _move(policies, "start"),
        _move_with_reason(policies, "hold", summary="Put a work order on hold"),
        _move(policies, "resume"),
        WORK_ORDERS.move_with("complete", partial(actions.complete, policies), Completion),
        _move_with_reason(policies, "cancel", permission=REPORTS),
        _move(policies, "reopen"),
        replacement=actions.replacement,
    )


def _move(policies: Policies, verb: str) -> Route:
    return WORK_ORDERS.move(verb, partial(actions.move, policies, verb))


def _move_with_reason(policies: Policies, verb: str, **options: Unpack[RouteOptions]) -> Route:
    action = partial(actions.move_with_reason, policies, verb)
    options["body_example"] = {"reason": "Waiting for a part."}
    return WORK_ORDERS.move_with(verb, action, GivenReason, **options)
