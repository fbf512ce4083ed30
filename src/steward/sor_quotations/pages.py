"""Quotations in the web app: the list, the page of one with its editor, its print view, and the panel of a
work order.
"""

from typing import Any

import msgspec

from steward.kit.records import records
from steward.kit.records.moves import Move, MoveDetails
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_page import Choice, EmptyState, ListPage, Pick, choices
from steward.kit.web.page import PageRequest, Panel, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves
from steward.sor_quotations import actions, queries, rules
from steward.sor_quotations import cells as quotation_cells
from steward.sor_quotations.editor import pages as editor
from steward.sor_quotations.editor.model import QuotationForm
from steward.sor_quotations.model import (
    MAX_LINES,
    NewQuotation,
    Quotation,
    QuotationQuery,
    QuotationStatus,
    Rejection,
)
from steward.sor_quotations.pricing import quantity_text
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


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    """The address may name the work order, `?workOrderId=…`, and the rates, `?scheduleId=…`."""
    db, tenant = request.db, request.caller.tenant
    query = ScheduleQuery(effective_at=request.now, limit=_SCHEDULES)
    found = await schedules.LISTING.page(db, request.cursors, tenant, query)
    offered = [msgspec.json.decode(item, type=Schedule) for item in found.items]
    options = [(schedule.id, schedule.name) for schedule in offered]
    work_order_id = request.form.value("workOrderId", request.arguments.get("workOrderId", ""))
    schedule_id = request.arguments.get("scheduleId", options[0][0] if len(options) == 1 else "")
    if schedule_id and schedule_id not in dict(options):
        # One of very many; whether it is in effect is checked when the form is sent.
        options += (await schedules.LOOKUP.names(db, tenant, [schedule_id])).items()
    values = {
        "form": request.form,
        "schedules": options,
        "schedule_id": schedule_id,
        "work_order_id": work_order_id,
        "work_order_title": await work_orders.LOOKUP.name(db, tenant, work_order_id),
    }
    return View("sor_quotations/new.html", values, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    quotation = await _read(request)
    may_write = request.may(Permission.SOR_WRITE) and quotation.status is QuotationStatus.DRAFT
    schedule = await schedules.find(request.db, request.caller.tenant, quotation.schedule_id)
    values = {
        **await _mentioned(request, quotation),
        "moves": _moves(request, quotation),
        "is_own": not rules.is_second_person(quotation, request.caller.user),
        "rates_ended": schedule is not None and not in_effect(schedule, request.now),
        "may_write": may_write,
        "lines": await editor.lines(request, quotation) if may_write else [],
        "most_lines": MAX_LINES,
        "form": request.form,
        "path": f"{PATH}/{quotation.id}",
        "panels": await request.panels("quotation", quotation.id),
    }
    return View("sor_quotations/one.html", values, status)


async def paper(request: PageRequest[Any, Any]) -> View:
    return View("sor_quotations/paper.html", await _mentioned(request, await _read(request)))


async def _read(request: PageRequest[Any, Any]) -> Quotation:
    id = request.params["quotationId"]
    return await records.get(request.db, queries.QUOTATIONS, request.caller.tenant, id)


async def _mentioned(request: PageRequest[Any, Any], quotation: Quotation) -> dict[str, Any]:
    """The quotation, and the names of all records that it refers to."""
    db, tenant = request.db, request.caller.tenant
    people = [quotation.submitted_by, quotation.approved_by, quotation.rejected_by]
    return {
        "quotation": quotation,
        "quantity_text": quantity_text,
        "people": await users.LOOKUP.names(db, tenant, people),
        "schedule_name": await schedules.LOOKUP.name(db, tenant, quotation.schedule_id),
        "work_order_title": await work_orders.LOOKUP.name(db, tenant, quotation.work_order_id),
    }


def _moves(request: PageRequest[Any, Any], quotation: Quotation) -> list[Move[Quotation, MoveDetails]]:
    """The submitter gets no button for what only a second person may do."""
    return [
        move
        for move in allowed_moves(request, MOVES, quotation.status, _MAY_MOVE)
        if move.verb != "approve" or rules.is_second_person(quotation, request.caller.user)
    ]


_MAY_MOVE = {
    "submit": Permission.SOR_WRITE,
    "approve": Permission.SOR_APPROVE,
    "reject": Permission.SOR_APPROVE,
}

RECORD = RecordPages(
    path=PATH,
    id_name="quotationId",
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
    show=show_one,
    show_new=show_new,
)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    RECORD.new(),
    RECORD.create(actions.create, form=NewQuotation),
    RECORD.read(),
    RECORD.change(editor.save, form=QuotationForm),
    RECORD.change(editor.save_and_submit, form=QuotationForm, path="/save-and-submit"),
    RECORD.delete(actions.delete),
    RECORD.move("submit", actions.submit),
    RECORD.move("approve", actions.approve, permission=Permission.SOR_APPROVE),
    RECORD.move_with("reject", actions.reject, form=Rejection, permission=Permission.SOR_APPROVE),
    WebPage("GET", f"{RECORD.one}/print", paper, Permission.SOR_READ),
)


async def _panel(request: PageRequest[Any, Any], query: QuotationQuery, argument: str) -> View | None:
    """`argument` is the parameter of the list, and of the form for a new one."""
    page = await queries.LISTING.page(request.db, request.cursors, request.caller.tenant, query)
    quotations = [msgspec.json.decode(item, type=Quotation) for item in page.items]
    if not quotations and not request.may(Permission.SOR_WRITE):
        return None
    values = {"quotations": quotations, "more": page.last_evaluated_key is not None, "argument": argument}
    return View("sor_quotations/panel.html", values)


async def of_work_order(request: PageRequest[Any, Any], id: str) -> View | None:
    return await _panel(request, QuotationQuery(work_order_id=[id], limit=_ON_A_PANEL), f"workOrderId={id}")


async def of_schedule(request: PageRequest[Any, Any], id: str) -> View | None:
    """A draft has none yet."""
    schedule = await schedules.find(request.db, request.caller.tenant, id)
    if schedule is None or schedule.published_at is None:
        return None
    return await _panel(request, QuotationQuery(schedule_id=[id], limit=_ON_A_PANEL), f"scheduleId={id}")


PANELS = (
    Panel("work order", "quotation", "Quotations", of_work_order, Permission.SOR_READ),
    Panel("schedule", "quotation", "Quotations", of_schedule, Permission.SOR_READ),
)
