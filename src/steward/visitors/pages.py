"""Visitors in the web app: all visits, the page of one, and the forms for announced visitors and walk-ins."""

from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from steward.kit.domain.days import day_named, end_of, midnight
from steward.kit.http.response import NOT_KEPT, StreamingResponse
from steward.kit.records.context import Context
from steward.kit.records.moves import Move
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import Choice, Pick, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, Picked, RenderedPanel, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves
from steward.locations import queries as locations
from steward.users import queries as users
from steward.visitors import actions, queries
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
        Column("expected_arrival", "Expected", cells.moment, sort="expectedArrival"),
        Column("host_id", "Visits", cells.name, lookup=users.LOOKUP),
        Column("location_id", "Location", cells.reference, lookup=locations.LOOKUP),
        Column("phone", "Telephone", shown=False),
        Column("vehicle", "Vehicle", shown=False),
        Column("checked_in_at", "Checked in", cells.moment, shown=False),
        Column("checked_out_at", "Checked out", cells.moment, shown=False),
        Column("created", "Registered", cells.when, sort="created", shown=False),
    ),
    filters=(
        Choice(name="status", title="Status", options=choices(VisitorStatus)),
        Pick(name="hostId", title="Visits", lookup=users.LOOKUP, extra=(("me", "Me"),)),
        Pick(name="locationId", title="Location", lookup=locations.LOOKUP, implies=locations.BELOW),
    ),
    empty=EmptyState("No visitors yet", "Register the first one, or check in who stands before you."),
)


class NewVisitorPage(msgspec.Struct, frozen=True, kw_only=True):
    walk_in: bool
    location: Picked
    host_name: str | None
    soon: int


class VisitorPage(msgspec.Struct, frozen=True, kw_only=True):
    visitor: Visitor
    host_name: str | None
    location_name: str | None
    moves: list[Move[Visitor, Any]]
    may_change: bool
    may_erase: bool
    panels: list[RenderedPanel]


async def show_new(request: PageRequest[Any, Any], status: int = 200, *, walk_in: bool = False) -> View:
    """The address may name the place: the front desk knows its building."""
    page = NewVisitorPage(
        walk_in=walk_in,
        location=await request.picked(locations.LOOKUP, "locationId"),
        host_name=await request.name(users.LOOKUP, request.form.value("hostId")),
        soon=(request.now // _QUARTER + 1) * _QUARTER,
    )
    return View("visitors/new.html", page, status, secret=True)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    visitor = await request.get(queries.VISITORS, "visitorId")
    erased = visitor.erased_at is not None
    may_write = request.may(Permission.VISITORS_WRITE) and not erased
    moves = allowed_moves(request, MOVES, visitor.status, dict.fromkeys(_ACTIONS, Permission.VISITORS_WRITE))
    page = VisitorPage(
        visitor=visitor,
        host_name=await request.name(users.LOOKUP, visitor.host_id),
        location_name=await request.name(locations.LOOKUP, visitor.location_id),
        moves=[move for move in moves if not (erased and move.verb == "check-in")],
        may_change=may_write and visitor.status == VisitorStatus.REGISTERED,
        may_erase=may_write and visitor.status != VisitorStatus.CHECKED_IN,
        panels=await request.panels("visitor", visitor.id),
    )
    return View("visitors/one.html", page, status, secret=True)


async def _walk_in(ctx: Context, new: NewVisitor) -> Visitor:
    return await actions.register(ctx, replace(new, check_in=True, expected_arrival=None))


RECORD = RecordPages.of(
    LIST, "visitorId", show_one, show_new, path=PATH, write_permission=Permission.VISITORS_WRITE
)
_WALK_IN = replace(
    RECORD, path=f"{PATH}/walk-in", show_new=partial(show_new, walk_in=True), leads_to=RECORD.one
)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    *RECORD.pages(actions.register, NewVisitor, actions.change, VisitorChanges, actions.erase),
    WebPage("GET", _WALK_IN.path, partial(show_new, walk_in=True), Permission.VISITORS_WRITE),
    _WALK_IN.create(_walk_in, form=NewVisitor),
    *(RECORD.move(verb, action) for verb, action in _ACTIONS.items()),
)
