"""Work orders in the web app: the list, the page of one, and the form for a new one."""

from functools import partial
from typing import Any

import msgspec

from steward.assets import queries as assets
from steward.kit.domain.fields import Body, Priority, Text
from steward.kit.domain.problems import Invalid
from steward.kit.domain.shared_fields import made_from, same_fields
from steward.kit.http.decoding import convert_query
from steward.kit.records.context import Context, Target
from steward.kit.records.moves import Move
from steward.kit.security.permissions import Need, Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import Choice, Flag, Pick, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import ListPart, PageRequest, Panel, Picked, RenderedPanel, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves
from steward.locations import queries as locations
from steward.users import queries as users
from steward.work_orders import actions, queries
from steward.work_orders import cells as order_cells
from steward.work_orders.comments import actions as comments_actions
from steward.work_orders.comments import queries as comments
from steward.work_orders.comments.model import Comment, NewComment
from steward.work_orders.model import (
    MAX_CHECKLIST,
    READS,
    REPORTS,
    Checklist,
    GivenReason,
    NewWorkOrder,
    TickedItem,
    WorkOrder,
    WorkOrderChanges,
    WorkOrderQuery,
    WorkOrderStatus,
)
from steward.work_orders.rules import FINAL, MOVES
from steward.work_orders.sla import rules as sla
from steward.work_orders.sla.model import SlaClock

PATH = "/app/work-orders"
_COMMENTS = 100
_UNFINISHED = (",".join(status for status in WorkOrderStatus if status not in FINAL), "Unfinished")
_ME = (("me", "Me"), ("none", "Unassigned"))

LIST = ListPage(
    path=PATH,
    title="Work orders",
    listing=queries.LISTING,
    record=WorkOrder,
    query=WorkOrderQuery,
    permission=READS,
    write_permission=REPORTS,
    new="New work order",
    own_title="My requests",
    own_new="Report a problem",
    search="Search title or description",
    tabs="status",
    live="work-orders",
    template="work_orders/list.html",
    columns=(
        Column(
            "id",
            "Chosen",
            order_cells.choice,
            is_control=True,
            permission=Permission.WORK_ORDERS_WRITE,
            css="pick",
        ),
        Column("number", "No.", cells.number, sort="number"),
        Column("title", "Title", cells.link),
        Column("priority", "Priority", cells.priority, sort="priority"),
        Column("status", "Status", cells.status),
        Column("sla_resolution_deadline", "Due", order_cells.due, sort="slaResolutionDeadline"),
        Column("assignee_id", "Assigned to", cells.name, lookup=users.LOOKUP),
        Column("location_id", "Location", cells.reference, lookup=locations.LOOKUP),
        Column("asset_id", "Asset", cells.reference, lookup=assets.LOOKUP, shown=False),
        Column("reported_by", "Reported by", cells.name, lookup=users.LOOKUP, shown=False),
        Column("updated", "Updated", cells.when, sort="updated", shown=False),
        Column("created", "Created", cells.when, sort="created", shown=False),
    ),
    filters=(
        Choice(name="status", title="Status", options=(_UNFINISHED, *choices(WorkOrderStatus))),
        Choice(name="priority", title="Priority", options=choices(Priority)),
        Pick(name="assigneeId", title="Assigned to", lookup=users.LOOKUP, extra=_ME),
        Pick(name="locationId", title="Location", lookup=locations.LOOKUP, implies=locations.BELOW),
        Pick(name="assetId", title="Asset", lookup=assets.LOOKUP),
        Flag(name="overdue", title="Overdue"),
    ),
    empty=EmptyState(
        "No work orders yet", "Report the first problem with “New work order”, or let another system do it."
    ),
)


@same_fields(NewWorkOrder, without="reported_by checklist external_id metadata")
class NewOrderForm(Body, frozen=True):
    """A new work order as the form sends it: the checklist is a text with an item in each line."""

    checklist: Text | None = None

    def new_work_order(self) -> NewWorkOrder:
        lines = [line.strip() for line in (self.checklist or "").splitlines() if line.strip()]
        try:
            items = msgspec.convert([{"text": line} for line in lines], Checklist)
        except msgspec.ValidationError:
            raise Invalid(
                "checklist", f"has at most {MAX_CHECKLIST} items of at most 200 characters"
            ) from None
        return made_from(NewWorkOrder, self, checklist=items)


async def _create(policies: actions.Policies, ctx: Context, form: NewOrderForm) -> WorkOrder:
    return await actions.create(policies, ctx, form.new_work_order())


async def _comment(ctx: Target, body: NewComment) -> Comment:
    return await comments_actions.create(ctx.inside(ctx.id), body)


class NewOrderPage(msgspec.Struct, frozen=True, kw_only=True):
    location: Picked
    about_asset: Picked
    assignee: str | None
    priorities: tuple[Priority, ...] = tuple(Priority)


class OrderPaper(msgspec.Struct, frozen=True, kw_only=True):
    order: WorkOrder
    comments: list[Comment]
    people: dict[str, str]
    location_name: str | None
    asset_name: str | None


class OrderPage(OrderPaper, frozen=True, kw_only=True):
    clocks: list[SlaClock]
    moves: list[Move[WorkOrder, Any]]
    may_comment: bool
    may_write: bool
    path: str
    panels: list[RenderedPanel]
    priorities: tuple[Priority, ...] = tuple(Priority)


class OrdersPanel(msgspec.Struct, frozen=True):
    orders: ListPart[WorkOrder]
    # The argument of the list, and of the form for a new one.
    filter: str


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    """The address may name place and asset: `?assetId=…`, as the label on an asset does."""
    page = NewOrderPage(
        location=await request.picked(locations.LOOKUP, "locationId"),
        about_asset=await request.picked(assets.LOOKUP, "assetId"),
        assignee=await request.name(users.LOOKUP, request.form.value("assigneeId")),
    )
    return View("work_orders/new.html", page, status)


async def order_paper(request: PageRequest[Any, Any]) -> OrderPaper:
    """The order in the path with its comments, the newest first; 404 if this person may not see it."""
    own = request.caller.own_records_only(READS)
    found = await request.get(queries.WORK_ORDERS, "workOrderId", own=own)
    order = queries.WORK_ORDERS.visible_to(found, own)
    said = await comments.newest(request.db, request.tenant, order.id, _COMMENTS, own)
    people = [order.reported_by, order.assignee_id, order.completed_by]
    people += [comment.created_by for comment in said] + [item.done_by for item in order.checklist]
    return OrderPaper(
        order=order,
        comments=said,
        people=await request.names(users.LOOKUP, people),
        location_name=await request.name(locations.LOOKUP, order.location_id),
        asset_name=await request.name(assets.LOOKUP, order.asset_id),
    )


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    paper = await order_paper(request)
    order = paper.order
    may_write = request.may(Permission.WORK_ORDERS_WRITE)
    may_comment = may_write or (request.may(REPORTS) and order.reported_by == request.caller.user)
    page = OrderPage(
        **msgspec.structs.asdict(paper),
        clocks=sla.clocks(order, request.now),
        moves=allowed_moves(request, MOVES, order.status, _MAY_MOVE) if may_comment else [],
        may_comment=may_comment,
        may_write=may_write and order.status not in FINAL,
        path=f"{PATH}/{order.id}",
        panels=await request.panels("work order", order.id),
    )
    fragments = {"checklist": "work_orders/checklist.html", "conversation": "work_orders/comments.html"}
    return View("work_orders/one.html", page, status, fragments=fragments)


_MAY_MOVE: dict[str, Need] = {
    row.verb: REPORTS if row.verb == "cancel" else Permission.WORK_ORDERS_WRITE for row in MOVES.rows
}

RECORD = RecordPages.of(
    LIST, "workOrderId", show_one, show_new, write_permission=Permission.WORK_ORDERS_WRITE
)


def pages(policies: actions.Policies) -> tuple[WebPage, ...]:
    return (
        *LIST.pages(),
        RECORD.new(),
        RECORD.create(partial(_create, policies), form=NewOrderForm),
        RECORD.read(),
        RECORD.change(partial(actions.change, policies), form=WorkOrderChanges),
        RECORD.change(actions.tick, form=TickedItem, name="checklist", path="/checklist"),
        RECORD.change(_comment, form=NewComment, name="comment", path="/comments", permission=REPORTS),
        RECORD.delete(actions.delete),
        *(
            RECORD.move_with(
                row.verb,
                partial(actions.move_with_reason, policies, row.verb),
                form=GivenReason,
                permission=_MAY_MOVE[row.verb],
            )
            if row.needs_reason
            else RECORD.move(row.verb, partial(actions.move, policies, row.verb))
            for row in MOVES.rows
            if not row.automatic
        ),
    )


_IN_PANEL = 10


def _history_panel(of: str, name: str) -> Panel:
    """The newest work orders of another record; `name` is the filter of the list that finds all of them."""

    async def handler(request: PageRequest[Any, Any], id: str) -> View:
        query = convert_query(WorkOrderQuery, {name: id, "limit": str(_IN_PANEL)})
        own = request.caller.own_records_only(READS)
        orders = await request.part(queries.LISTING, WorkOrder, query, own=own)
        return View("work_orders/panel.html", OrdersPanel(orders, f"{name}={id}"))

    return Panel(of, "work-orders", "Work orders", handler, READS)


PANELS = (
    _history_panel("asset", "assetId"),
    _history_panel("location", "locationId"),
)
