"""Visitors in the web app: all visits, the page of one, and the forms for announced visitors and walk-ins."""

from typing import Any

from msgspec.structs import replace

from steward.kit.domain.days import day_named, end_of, midnight
from steward.kit.http.response import NOT_KEPT, StreamingResponse
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_page import Choice, EmptyState, ListPage, Pick, choices
from steward.kit.web.page import Outcome, PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves
from steward.kit.web.submit import submit
from steward.locations import queries as locations
from steward.users import queries as users
from steward.visitors import actions, queries
from steward.visitors import cells as visitor_cells
from steward.visitors.model import NewVisitor, Visitor, VisitorChanges, VisitorQuery, VisitorStatus
from steward.visitors.rules import MOVES

PATH = "/app/visitors"
_ACTIONS = {"check-in": actions.check_in, "check-out": actions.check_out, "cancel": actions.cancel}
# The default arrival of announced visitors is the next quarter of an hour.
_QUARTER = 900


class Visits(ListPage[Visitor], frozen=True, kw_only=True):
    """The list also takes days (`from`, `until`) in the viewer's zone."""

    async def show(self, request: PageRequest[Any, Any]) -> View:
        return replace(await super().show(request), secret=True)

    async def csv(self, request: PageRequest[Any, Any]) -> StreamingResponse:
        answer = await super().csv(request)
        return replace(answer, headers=[*answer.headers, NOT_KEPT])

    def _given(self, request: PageRequest[Any, Any]) -> dict[str, str]:
        given, days = super()._given(request), request.arguments
        if "from" in days:
            given["from"] = str(midnight(day_named("from", days["from"]), request.zone))
        if "until" in days:
            given["to"] = str(end_of(day_named("until", days["until"]), request.zone))
        return given


LIST = Visits(
    path=f"{PATH}/visits",
    title="All visits",
    listing=queries.LISTING,
    record=Visitor,
    query=VisitorQuery,
    permission=Permission.VISITORS_READ,
    search="Search name, company or e-mail",
    tabs="status",
    live="visitors",
    template="visitors/visits.html",
    columns=(
        Column("name", "Name", cells.row_link(PATH, "Erased visitor")),
        Column("company", "Company"),
        Column("status", "Status", cells.status),
        Column("expected_arrival", "Expected", visitor_cells.moment, sort="expectedArrival"),
        Column("host_id", "Visits", cells.name, lookup=users.LOOKUP),
        Column("location_id", "Location", cells.reference, lookup=locations.LOOKUP),
        Column("phone", "Telephone", shown=False),
        Column("vehicle", "Vehicle", shown=False),
        Column("checked_in_at", "Checked in", visitor_cells.moment, shown=False),
        Column("checked_out_at", "Checked out", visitor_cells.moment, shown=False),
        Column("created", "Registered", cells.when, sort="created", shown=False),
    ),
    filters=(
        Choice(name="status", title="Status", options=choices(VisitorStatus)),
        Pick(name="hostId", title="Visits", lookup=users.LOOKUP, extra=(("me", "Me"),)),
        Pick(name="locationId", title="Location", lookup=locations.LOOKUP, implies=locations.BELOW),
    ),
    empty=EmptyState("No visitors yet", "Register the first one, or check in who stands before you."),
)


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    return await _show_form(request, status, walk_in=False)


async def show_walk_in(request: PageRequest[Any, Any], status: int = 200) -> View:
    return await _show_form(request, status, walk_in=True)


async def _show_form(request: PageRequest[Any, Any], status: int, *, walk_in: bool) -> View:
    """The address may name the place: the front desk knows its building."""
    db, tenant, form = request.db, request.caller.tenant, request.form
    location_id = form.value("locationId", request.arguments.get("locationId", ""))
    values = {
        "form": form,
        "walk_in": walk_in,
        "location_id": location_id,
        "location_name": await locations.LOOKUP.name(db, tenant, location_id),
        "host_name": await users.LOOKUP.name(db, tenant, form.value("hostId")),
        "soon": (request.now // _QUARTER + 1) * _QUARTER,
    }
    return View("visitors/new.html", values, status, secret=True)


async def walk_in(request: PageRequest[NewVisitor, Any]) -> Outcome:
    return await submit(
        request,
        lambda new: actions.register(request.context, replace(new, check_in=True, expected_arrival=None)),
        to=lambda visitor: RECORD.redirect_after(request, visitor.id),
        again=lambda status: show_walk_in(request, status),
        name="new",
    )


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant = request.db, request.caller.tenant
    visitor = await records.get(db, queries.VISITORS, tenant, request.params["visitorId"])
    erased, may_write = visitor.erased_at is not None, request.may(Permission.VISITORS_WRITE)
    values = {
        "visitor": visitor,
        "host_name": await users.LOOKUP.name(db, tenant, visitor.host_id),
        "location_name": await locations.LOOKUP.name(db, tenant, visitor.location_id),
        "moves": [move for move in _moves(request, visitor) if not (erased and move.verb == "check-in")],
        "may_change": may_write and not erased and visitor.status == VisitorStatus.REGISTERED,
        "may_erase": may_write and not erased and visitor.status != VisitorStatus.CHECKED_IN,
        "form": request.form,
        "path": f"{PATH}/{visitor.id}",
        "panels": await request.panels("visitor", visitor.id),
    }
    return View("visitors/one.html", values, status, secret=True)


def _moves(request: PageRequest[Any, Any], visitor: Visitor) -> list[Any]:
    permitted = dict.fromkeys(_ACTIONS, Permission.VISITORS_WRITE)
    return allowed_moves(request, MOVES, visitor.status, permitted)


RECORD = RecordPages(
    path=PATH,
    id_name="visitorId",
    read_permission=Permission.VISITORS_READ,
    write_permission=Permission.VISITORS_WRITE,
    show=show_one,
    show_new=show_new,
)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    RECORD.new(),
    RECORD.create(actions.register, form=NewVisitor),
    WebPage("GET", f"{PATH}/walk-in", show_walk_in, Permission.VISITORS_WRITE),
    WebPage("POST", f"{PATH}/walk-in", walk_in, Permission.VISITORS_WRITE, form=NewVisitor),
    RECORD.read(),
    RECORD.change(actions.change, form=VisitorChanges),
    RECORD.delete(actions.erase),
    *(RECORD.move(verb, action) for verb, action in _ACTIONS.items()),
)
