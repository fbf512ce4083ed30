"""Quotations in the web app: the list, the page of one with its editor, its print view, and the panel of a
work order.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from steward.kit.records.moves import Move, MoveDetails
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import Choice, Pick, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import ListPart, PageRequest, Panel, Picked, RenderedPanel, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves
from steward.sor_quotations import actions, pricing, queries, rules
from steward.sor_quotations import cells as quotation_cells
from steward.sor_quotations.editor import pages as editor
from steward.sor_quotations.editor.model import Line, QuotationForm
from steward.sor_quotations.model import (
    MAX_LINES,
    NewQuotation,
    Quotation,
    QuotationQuery,
    QuotationStatus,
    Rejection,
)
from steward.sor_quotations.rules import MOVES
from steward.sor_schedules import queries as schedules
from steward.sor_schedules.model import Schedule, ScheduleQuery
from steward.sor_schedules.rules import in_effect
from steward.users import queries as users
from steward.work_orders import queries as work_orders

PATH = "/app/quotations"
_SCHEDULES = 100
_ON_A_PANEL = 20

LIST = ListPage(
    path=PATH,
    title="Quotations",
    listing=queries.LISTING,
    record=Quotation,
    query=QuotationQuery,
    permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
    new="New quotation",
    tabs="status",
    columns=(
        Column("work_order_id", "Work order", quotation_cells.work_order, lookup=work_orders.LOOKUP),
        Column("status", "Status", cells.status),
        Column("total_amount_cents", "Total", quotation_cells.total),
        Column("line_item_count", "Lines", cells.counted("line")),
        Column("schedule_id", "Rates", cells.reference, lookup=schedules.LOOKUP),
        Column("submitted_by", "Submitted by", cells.name, lookup=users.LOOKUP, shown=False),
        Column("approved_by", "Approved by", cells.name, lookup=users.LOOKUP, shown=False),
        Column("updated", "Updated", cells.when, sort="updated", shown=False),
        Column("created", "Created", cells.when, sort="created"),
    ),
    filters=(
        Choice(name="status", title="Status", options=choices(QuotationStatus)),
        Pick(name="workOrderId", title="Work order", lookup=work_orders.LOOKUP),
        Pick(name="scheduleId", title="Rates", lookup=schedules.LOOKUP),
    ),
    empty=EmptyState(
        "No quotations yet",
        "A quotation says what a piece of work will cost, by a published schedule of rates. Make one with “New quotation”, "
        "or from a work order.",
    ),
)


class NewQuotationPage(msgspec.Struct, frozen=True, kw_only=True):
    schedules: list[tuple[str, str]]
    schedule_id: str
    work_order: Picked


class QuotationPaper(msgspec.Struct, frozen=True, kw_only=True):
    quotation: Quotation
    people: dict[str, str]
    schedule_name: str | None
    work_order_title: str | None
    quantity_text: Callable[[float], str] = pricing.quantity_text


class QuotationPage(QuotationPaper, frozen=True, kw_only=True):
    moves: list[Move[Quotation, MoveDetails]]
    is_own: bool
    rates_ended: bool
    may_write: bool
    lines: list[Line]
    most_lines: int = MAX_LINES
    panels: list[RenderedPanel]


class QuotationsPanel(msgspec.Struct, frozen=True):
    quotations: ListPart[Quotation]
    # The parameter of the list, and of the form for a new one.
    argument: str


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    """The address may name the work order, `?workOrderId=…`, and the rates, `?scheduleId=…`."""
    query = ScheduleQuery(effective_at=request.now, limit=_SCHEDULES)
    offered = await request.part(schedules.LISTING, Schedule, query)
    options = [(schedule.id, schedule.name) for schedule in offered.rows]
    schedule_id = request.arguments.get("scheduleId", options[0][0] if len(options) == 1 else "")
    if schedule_id and schedule_id not in dict(options):
        # One of very many; whether it is in effect is checked when the form is sent.
        options += (await request.names(schedules.LOOKUP, [schedule_id])).items()
    work_order = await request.picked(work_orders.LOOKUP, "workOrderId")
    page = NewQuotationPage(schedules=options, schedule_id=schedule_id, work_order=work_order)
    return View("sor_quotations/new.html", page, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    paper = await _paper(request)
    quotation = paper.quotation
    is_own = not rules.is_second_person(quotation, request.caller.user)
    may_write = request.may(Permission.SOR_WRITE) and quotation.status is QuotationStatus.DRAFT
    schedule = await schedules.find(request.db, request.tenant, quotation.schedule_id)
    page = QuotationPage(
        **msgspec.structs.asdict(paper),
        # The submitter gets no button for what only a second person may do.
        moves=[
            move
            for move in allowed_moves(request, MOVES, quotation.status, _MAY_MOVE)
            if move.verb != "approve" or not is_own
        ],
        is_own=is_own,
        rates_ended=schedule is not None and not in_effect(schedule, request.now),
        may_write=may_write,
        lines=await editor.lines(request, quotation) if may_write else [],
        panels=await request.panels("quotation", quotation.id),
    )
    return View("sor_quotations/one.html", page, status)


async def paper(request: PageRequest[Any, Any]) -> View:
    return View("sor_quotations/paper.html", await _paper(request))


async def _paper(request: PageRequest[Any, Any]) -> QuotationPaper:
    quotation = await request.get(queries.QUOTATIONS, "quotationId")
    people = [quotation.submitted_by, quotation.approved_by, quotation.rejected_by]
    return QuotationPaper(
        quotation=quotation,
        people=await request.names(users.LOOKUP, people),
        schedule_name=await request.name(schedules.LOOKUP, quotation.schedule_id),
        work_order_title=await request.name(work_orders.LOOKUP, quotation.work_order_id),
    )


_MAY_MOVE = {
    "submit": Permission.SOR_WRITE,
    "approve": Permission.SOR_APPROVE,
    "reject": Permission.SOR_APPROVE,
}

RECORD = RecordPages.of(LIST, "quotationId", show_one, show_new)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    *RECORD.pages(actions.create, NewQuotation, editor.save, QuotationForm, actions.delete),
    RECORD.change(editor.save_and_submit, form=QuotationForm, path="/save-and-submit"),
    RECORD.move("submit", actions.submit),
    RECORD.move("approve", actions.approve, permission=Permission.SOR_APPROVE),
    RECORD.move_with("reject", actions.reject, form=Rejection, permission=Permission.SOR_APPROVE),
    WebPage("GET", f"{RECORD.one}/print", paper, Permission.SOR_READ),
)


async def _panel(request: PageRequest[Any, Any], query: QuotationQuery, argument: str) -> View | None:
    quotations = await request.part(queries.LISTING, Quotation, query)
    if not quotations.rows and not request.may(Permission.SOR_WRITE):
        return None
    return View("sor_quotations/panel.html", QuotationsPanel(quotations, argument))


async def of_work_order(request: PageRequest[Any, Any], id: str) -> View | None:
    return await _panel(request, QuotationQuery(work_order_id=[id], limit=_ON_A_PANEL), f"workOrderId={id}")


async def of_schedule(request: PageRequest[Any, Any], id: str) -> View | None:
    """A draft has none yet."""
    schedule = await schedules.find(request.db, request.tenant, id)
    if schedule is None or schedule.published_at is None:
        return None
    return await _panel(request, QuotationQuery(schedule_id=[id], limit=_ON_A_PANEL), f"scheduleId={id}")


PANELS = (
    Panel("work order", "quotation", "Quotations", of_work_order, Permission.SOR_READ),
    Panel("schedule", "quotation", "Quotations", of_schedule, Permission.SOR_READ),
)
