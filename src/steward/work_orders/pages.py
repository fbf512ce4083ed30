from functools import partial
from typing import Any

import msgspec

from steward.kit.db import records
from steward.kit.db.pagination import Page
from steward.kit.db.pool import Database
from steward.kit.domain.fields import Priority
from steward.kit.domain.moves import Move
from steward.kit.domain.problems import Conflict, Detail, Invalid, Problem
from steward.kit.domain.versions import UNCONDITIONAL
from steward.kit.http.web_page import PageRequest, Redirect, SubmittedForm, View, WebPage, empty_form
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.users import queries as users
from steward.work_orders import actions, queries
from steward.work_orders.model import (
    NewWorkOrder,
    WithReason,
    WorkOrder,
    WorkOrderQuery,
    WorkOrderStatus,
)
from steward.work_orders.rules import MOVES

_PATH = "/app/work-orders"


async def show_list(request: PageRequest[Any, WorkOrderQuery]) -> View:
    return await _list(request, request.query, empty_form())


async def show_new(request: PageRequest[Any, Any]) -> View:
    """The list with its form open, for links from elsewhere."""
    return await _list(request, WorkOrderQuery(), empty_form(), opened=True)


async def create(policies: actions.Policies, request: PageRequest[NewWorkOrder, Any]) -> View | Redirect:
    if request.form.content is None:
        return await _list(request, WorkOrderQuery(), request.form, opened=True, status=422)
    order = await actions.create(policies, request.db, request.caller, request.form.content, now=request.now)
    return Redirect(f"{_PATH}/{order.id}" if request.may(Permission.WORK_ORDERS_READ) else f"{_PATH}/new")


async def show_one(request: PageRequest[Any, Any]) -> View:
    return await _one(request)


async def move(policies: actions.Policies, verb: str, request: PageRequest[Any, Any]) -> View | Redirect:
    """What a button of the order does. The order may have moved on since the page with the button was shown."""
    may_read = request.may(Permission.WORK_ORDERS_READ)
    try:
        await _move(policies, verb, request)
    except (Conflict, Invalid) as problem:
        if not may_read:
            raise
        return await _one(request, pressed=verb, problem=problem, status=problem.status)
    return Redirect(f"{_PATH}/{request.params['workOrderId']}" if may_read else f"{_PATH}/new")


async def _move(policies: actions.Policies, verb: str, request: PageRequest[Any, Any]) -> None:
    if request.form.errors:
        raise Invalid.of(Detail(field, message) for field, message in request.form.errors.items())
    id, body = request.params["workOrderId"], request.form.content
    context: dict[str, Any] = {"precondition": UNCONDITIONAL, "now": request.now}
    if body is None:
        await actions.move(policies, verb, request.db, request.caller, id, **context)
    else:
        await actions.move_with_reason(policies, verb, request.db, request.caller, id, body, **context)


async def _one(
    request: PageRequest[Any, Any],
    *,
    pressed: str | None = None,
    problem: Problem | None = None,
    status: int = 200,
) -> View:
    """`pressed` is the verb that was refused: its form is shown as it was sent."""
    tenant = request.caller.tenant
    order = await records.get(request.db, queries.WORK_ORDERS, tenant, request.params["workOrderId"])
    values = {
        "order": order,
        "reporter": await _name(request.db, tenant, order.reported_by),
        "assignee": await _name(request.db, tenant, order.assignee_id),
        "moves": MOVES.allowed(order.status) if request.may(Permission.WORK_ORDERS_WRITE) else [],
        "form": request.form,
        "pressed": pressed,
        "problem": problem,
    }
    return View("work_orders/one.html", values, status)


async def _list(
    request: PageRequest[Any, Any],
    query: WorkOrderQuery,
    form: SubmittedForm[NewWorkOrder],
    *,
    opened: bool = False,
    status: int = 200,
) -> View:
    # Who may report problems may not always see those of others.
    may_read = request.may(Permission.WORK_ORDERS_READ)
    found = Page([], None)
    if may_read:
        found = await queries.LISTING.page(request.db, request.cursors, request.caller.tenant, query)
    values = {
        "orders": [msgspec.json.decode(item, type=WorkOrder) for item in found.items],
        "next_page": found.last_evaluated_key,
        "first_page": query.last_evaluated_key is None,
        "chosen": query.status,
        "statuses": list(WorkOrderStatus),
        "priorities": list(Priority),
        "form": form,
        "opened": opened,
        "may_read": may_read,
        "may_write": request.may(Permission.WORK_ORDERS_WRITE),
    }
    return View("work_orders/list.html", values, status)


async def _name(db: Database, tenant: TenantId, user_id: str | None) -> str | None:
    user = None if user_id is None else await users.get(db, tenant, user_id)
    return user.name if user else None


def pages(policies: actions.Policies) -> tuple[WebPage, ...]:
    return (
        WebPage(
            method="GET",
            path=_PATH,
            handler=show_list,
            permission=Permission.WORK_ORDERS_READ,
            query=WorkOrderQuery,
            menu="Work orders",
        ),
        WebPage(
            method="POST",
            path=_PATH,
            handler=partial(create, policies),
            permission=Permission.WORK_ORDERS_WRITE,
            form=NewWorkOrder,
        ),
        WebPage(method="GET", path=f"{_PATH}/new", handler=show_new, permission=Permission.WORK_ORDERS_WRITE),
        WebPage(
            method="GET",
            path=f"{_PATH}/{{workOrderId}}",
            handler=show_one,
            permission=Permission.WORK_ORDERS_READ,
        ),
        *(_move_page(policies, row) for row in MOVES.rows if not row.automatic),
    )


def _move_page(policies: actions.Policies, row: Move) -> WebPage:
    return WebPage(
        method="POST",
        path=f"{_PATH}/{{workOrderId}}/{row.verb}",
        handler=partial(move, policies, row.verb),
        permission=Permission.WORK_ORDERS_WRITE,
        form=WithReason if row.needs_reason else None,
    )
