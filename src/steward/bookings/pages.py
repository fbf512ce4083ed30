"""Bookings in the web app: the list, the page of one, and the form for a new one."""

from collections.abc import Awaitable, Callable
from typing import Any

from steward.bookings import actions, queries, rules
from steward.bookings import cells as booking_cells
from steward.bookings.clashes import Clash
from steward.bookings.grid.pages import PATH, say
from steward.bookings.model import (
    BOOKS,
    READS,
    Booking,
    BookingQuery,
    BookingStatus,
    Cancellation,
)
from steward.bookings.resources import queries as resources
from steward.bookings.rules import MOVES
from steward.bookings.series.model import (
    REPEATS,
    SCOPES,
    BookingChangesForm,
    CancelForm,
    NewBookingForm,
    attendees_text,
)
from steward.bookings.slots import Slot
from steward.kit.domain.fields import Body
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_page import Choice, Day, EmptyState, ListPage, Pick, choices
from steward.kit.web.page import Outcome, PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves
from steward.kit.web.submit import submit
from steward.locations import queries as locations
from steward.users import queries as users

# A list offers this many; where there are more, people search.
_LISTED_RESOURCES = 100
_HALF_HOUR = 1800
_MAY_MOVE = {row.verb: BOOKS for row in MOVES.rows}

LIST = ListPage(
    path=f"{PATH}/list",
    title="All bookings",
    own_title="My bookings",
    listing=queries.LISTING,
    record=Booking,
    query=BookingQuery,
    permission=READS,
    write_permission=BOOKS,
    live="bookings",
    template="bookings/list.html",
    columns=(
        Column("title", "Title", cells.row_link(PATH, "Booked")),
        Column("resource_id", "Resource", booking_cells.resource, lookup=resources.LOOKUP),
        Column("start_time", "Time", booking_cells.time, sort="startTime"),
        Column("status", "Status", cells.status),
        Column("booked_by", "Booked by", cells.name, lookup=users.LOOKUP),
        Column("location_id", "Location", cells.reference, lookup=locations.LOOKUP, shown=False),
        Column("checked_in_at", "Checked in", cells.when, shown=False),
        Column("created", "Created", cells.when, sort="created", shown=False),
    ),
    filters=(
        Choice(name="status", title="Status", options=choices(BookingStatus)),
        Pick(name="resourceId", title="Resource", lookup=resources.LOOKUP),
        Pick(name="bookedBy", title="Booked by", lookup=users.LOOKUP, extra=(("me", "Me"),)),
        Day(name="day", title="Day", after="from", before="to"),
    ),
    empty=EmptyState("No bookings yet", "Book a room, a desk or a car with “New booking”."),
)


async def show_new(request: PageRequest[Any, Any], status: int, offer: Slot | None = None) -> View:
    """The address may name resource and time:

    `?resourceId=…&startTime=…&endTime=…`, as free times on other pages do.
    """
    arguments, form = request.arguments, request.form
    db, tenant = request.db, request.caller.tenant
    start = _seconds(arguments.get("startTime")) or (request.now // _HALF_HOUR + 1) * _HALF_HOUR
    shown = await resources.on_grid(db, tenant, None, None, most=_LISTED_RESOURCES + 1)
    resource_id = form.value("resourceId", arguments.get("resourceId", ""))
    booked_by = form.value("bookedBy", request.caller.user or "")
    values = {
        "form": form,
        "options": [(resource.id, resource.name) for resource in shown],
        "few": len(shown) <= _LISTED_RESOURCES,
        "resource_id": resource_id,
        "resource_name": await resources.LOOKUP.name(db, tenant, resource_id),
        "start": start,
        "end": _seconds(arguments.get("endTime")) or start + 2 * _HALF_HOUR,
        "booked_by": booked_by,
        "booker_name": await users.LOOKUP.name(db, tenant, booked_by),
        "offer": offer,
        "repeats": list(REPEATS.items()),
    }
    return View("bookings/new.html", values, status)


def _seconds(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 12 else None


async def create(request: PageRequest[NewBookingForm, Any]) -> Outcome:
    offers: list[Slot | None] = []

    async def book(form: NewBookingForm) -> Booking:
        new = form.new_booking()
        try:
            return await say(request, actions.create(request.context, new))
        except Clash as clash:
            # A free slot for one date is no use for a series.
            offers.append(None if new.recurrence else clash.offer)
            raise

    return await submit(
        request,
        book,
        to=lambda made: RECORD.redirect_after(request, made.id),
        again=lambda status: show_new(request, status, offers[0] if offers else None),
        name="new",
    )


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant = request.db, request.caller.tenant
    found = await records.get(db, queries.BOOKINGS, tenant, request.params["bookingId"])
    own = request.caller.own_records_only(READS)
    hidden = own is not None and not queries.BOOKINGS.is_own(found, own)
    booking = queries.BOOKINGS.visible_to(found, own)
    resource = await records.get(db, resources.RESOURCES, tenant, booking.resource_id)
    may_write = rules.may_change(booking, request.caller)
    moves = allowed_moves(request, MOVES, booking.status, _MAY_MOVE) if may_write else []
    opens = rules.check_in_opens(booking, resource)
    takes_check_in = opens <= request.now < booking.end_time
    values = {
        "booking": booking,
        "resource": resource,
        "attendees_text": attendees_text(booking.attendees),
        "scopes": SCOPES,
        "rule": booking.recurrence,
        "people": await users.LOOKUP.names(db, tenant, [booking.booked_by, booking.cancelled_by]),
        "location_name": await locations.LOOKUP.name(db, tenant, booking.location_id),
        "moves": [move for move in moves if move.verb != "cancel" and takes_check_in],
        "may_cancel": any(move.verb == "cancel" for move in moves),
        "may_end": may_write and rules.is_running(booking, request.now),
        "may_change": may_write and booking.status == BookingStatus.CONFIRMED,
        "check_in_opens": opens
        if booking.status == BookingStatus.CONFIRMED and request.now < opens
        else None,
        "form": request.form,
        "page_path": f"{PATH}/{booking.id}",
        "hidden": hidden,
        "sees_sync_fields": own is None or own.sees_sync_fields,
        # Its past would reveal what is hidden now.
        "panels": [] if hidden else await request.panels("booking", booking.id),
    }
    return View("bookings/one.html", values, status)


RECORD = RecordPages(
    path=PATH,
    id_name="bookingId",
    read_permission=READS,
    write_permission=BOOKS,
    show=show_one,
    show_new=show_new,
)


def _change(ctx: Target, form: BookingChangesForm) -> Awaitable[Booking]:
    return actions.change(ctx, form.changes(), scope=form.scope)


def _cancel(ctx: Target, form: CancelForm) -> Awaitable[Booking]:
    return actions.cancel(ctx, Cancellation(), scope=form.scope)


def _page(verb: str, action: Callable[[Target, Any], Awaitable[Booking]], form: type[Body] | None) -> WebPage:
    async def handler(request: PageRequest[Any, Any]) -> Outcome:
        target = RECORD.target(request)
        return await submit(
            request,
            lambda content: say(request, action(target, content)),
            to=lambda _: RECORD.redirect_after(request, target.id),
            again=lambda status: show_one(request, status),
            name=verb or "change",
        )

    path = f"{RECORD.one}/{verb}".rstrip("/")
    return WebPage("POST", path, handler, BOOKS, form=form)


PAGES = (
    *LIST.pages(),
    RECORD.new(),
    WebPage("POST", PATH, create, BOOKS, form=NewBookingForm),
    RECORD.read(),
    _page("", _change, BookingChangesForm),
    _page("cancel", _cancel, CancelForm),
    _page("check-in", lambda ctx, _: actions.check_in(ctx), None),
    _page("end", lambda ctx, _: actions.end_early(ctx), None),
)
