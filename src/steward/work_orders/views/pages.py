"""The board, where a drag is a move; the calendar of due orders; and the print view."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

import msgspec

from steward.kit.domain.days import date_of
from steward.kit.domain.fields import Body, Identifier, Priority
from steward.kit.domain.problems import Problem
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.records.moves import Moves
from steward.kit.security.permissions import Permission
from steward.kit.web.list_filters import ME
from steward.kit.web.page import PageRequest, View, WebPage
from steward.locations import queries as locations
from steward.users import queries as users
from steward.work_orders import actions
from steward.work_orders.model import READS, Reason, WorkOrder, WorkOrderChanges, WorkOrderStatus
from steward.work_orders.pages import PATH, order_paper
from steward.work_orders.rules import FINAL, MOVES
from steward.work_orders.views import queries, rules
from steward.work_orders.views.rules import CalendarDay

_CARDS = 50
_DUE = 500
_WEEK = 7 * 86_400
_COLUMNS = tuple(status for status in WorkOrderStatus if status != WorkOrderStatus.CANCELLED)


class BoardQuery(Body, frozen=True):
    assignee_id: Identifier | None = None
    location_id: Identifier | None = None
    priority: Priority | None = None
    month: str | None = None

    def filters(self, me: str | None) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in ("assignee_id", "location_id", "priority")}
        if given["assignee_id"] == ME:
            given["assignee_id"] = me
        return {name: value for name, value in given.items() if value is not None}


class DroppedCard(Body, frozen=True):
    """The column where a card was dropped, and the reason if that move needs one."""

    status: WorkOrderStatus
    reason: Reason | None = None

    def changes(self) -> WorkOrderChanges:
        given: dict[str, Any] = {"status": self.status}
        for row in MOVES.rows:
            if row.needs_reason and row.target == self.status and self.reason is not None:
                given[f"{row.verb}_reason"] = self.reason
        return WorkOrderChanges(**given)


class ViewFilters(msgspec.Struct, frozen=True):
    """The present filters, and the names of all people and places on the page."""

    arguments: Mapping[str, str]
    people: dict[str, str]
    places: dict[str, str]
    priorities: tuple[Priority, ...] = tuple(Priority)


class BoardPage(msgspec.Struct, frozen=True):
    filters: ViewFilters
    columns: list[tuple[WorkOrderStatus, list[WorkOrder]]]
    most: int = _CARDS
    moves: Moves[WorkOrder, Any] = MOVES


class CalendarPage(msgspec.Struct, frozen=True, kw_only=True):
    filters: ViewFilters
    month: date
    before: date
    after: date
    today: date
    weeks: list[list[CalendarDay]]
    too_many: bool


async def board(request: PageRequest[Any, BoardQuery]) -> View:
    filters = request.query.filters(request.caller.user)
    columns: list[tuple[WorkOrderStatus, list[WorkOrder]]] = []
    db, tenant = request.db, request.tenant
    for status in _COLUMNS:
        if status in FINAL:
            since = request.now - _WEEK
            found = await queries.closed_column(db, tenant, status, filters, updated_from=since, limit=_CARDS)
        else:
            found = await queries.open_column(db, tenant, status, filters, limit=_CARDS)
        columns.append((status, found))
    orders = [order for _, found in columns for order in found]
    page = BoardPage(await _shown(request, orders), columns)
    return View("work_orders/board.html", page, fragments={"board": "work_orders/board_columns.html"})


async def drop(policies: actions.Policies, request: PageRequest[DroppedCard, Any]) -> Response:
    """The answer to a drag: empty if done, a sentence if refused."""
    dropped, id = request.form.content, request.params["workOrderId"]
    if dropped is None:
        return _refusal(422, next(iter(request.form.errors.values())))
    try:
        await actions.change(policies, request.context.on(id), dropped.changes())
    except Problem as problem:
        return _refusal(problem.status, problem.message)
    return Response(204, b"", [NOT_KEPT])


def _refusal(status: int, message: str) -> Response:
    return Response(status, encode({"message": message}), [JSON, NOT_KEPT])


async def calendar(request: PageRequest[Any, BoardQuery]) -> View:
    today = date_of(request.now, request.zone)
    month = rules.first_of_month(request.query.month, today)
    start, end = rules.span(month, request.zone)
    filters = request.query.filters(request.caller.user)
    orders = await queries.due_between(request.db, request.tenant, start, end, filters, limit=_DUE + 1)
    before, after = rules.neighbours(month)
    page = CalendarPage(
        filters=await _shown(request, []),
        month=month,
        before=before,
        after=after,
        today=today,
        weeks=rules.weeks(month, orders[:_DUE], request.zone),
        too_many=len(orders) > _DUE,
    )
    return View("work_orders/calendar.html", page)


async def _shown(request: PageRequest[Any, BoardQuery], orders: list[WorkOrder]) -> ViewFilters:
    query = request.query
    chosen = request.caller.user if query.assignee_id == ME else query.assignee_id
    people = [chosen, *(order.assignee_id for order in orders)]
    places = [query.location_id, *(order.location_id for order in orders)]
    return ViewFilters(
        request.arguments,
        await request.names(users.LOOKUP, people),
        await request.names(locations.LOOKUP, places),
    )


async def paper(request: PageRequest[Any, Any]) -> View:
    return View("work_orders/paper.html", await order_paper(request))


def pages(policies: actions.Policies) -> tuple[WebPage, ...]:
    return (
        WebPage("GET", f"{PATH}/board", board, Permission.WORK_ORDERS_READ, query=BoardQuery),
        WebPage("GET", f"{PATH}/calendar", calendar, Permission.WORK_ORDERS_READ, query=BoardQuery),
        WebPage("GET", f"{PATH}/{{workOrderId}}/print", paper, READS),
        WebPage(
            "POST",
            f"{PATH}/{{workOrderId}}/drop",
            partial(drop, policies),
            Permission.WORK_ORDERS_WRITE,
            form=DroppedCard,
        ),
    )
