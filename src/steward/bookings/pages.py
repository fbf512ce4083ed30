"""Bookings in the web app: the list, the page of one, and the form for a new one."""

from typing import Any

import msgspec

from steward.bookings import actions, queries, rules
from steward.bookings import cells as booking_cells
from steward.bookings.clashes import Clash
from steward.bookings.grid.pages import PATH, say
from steward.bookings.model import BOOKS, READS, Booking, BookingQuery, BookingStatus, Cancellation, Scope
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
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.records.moves import Move
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import Choice, Day, Pick, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, Picked, RenderedPanel, View
from steward.kit.web.record_pages import RecordPages, allowed_moves
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


class NewBookingPage(msgspec.Struct, frozen=True, kw_only=True):
    options: list[tuple[str, str]]
    # Whether the options are all there are.
    few: bool
    resource: Picked
    start: int
    end: int
    booked_by: Picked
    # A free time instead of the one that was wanted.
    offer: Slot | None
    repeats: tuple[tuple[str, str], ...] = tuple(REPEATS.items())


class BookingPage(msgspec.Struct, frozen=True, kw_only=True):
    booking: Booking
    attendees_text: str
    people: dict[str, str]
    location_name: str | None
    moves: list[Move[Booking, Any]]
    may_cancel: bool
    may_end: bool
    may_change: bool
    # Where it isn't open yet.
    check_in_opens: int | None
    hidden: bool
    sees_sync_fields: bool
    panels: list[RenderedPanel]
    scopes: tuple[tuple[Scope, str], ...] = SCOPES


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    """The address may name resource and time:

    `?resourceId=…&startTime=…&endTime=…`, as free times on other pages do.
    """
    arguments, form = request.arguments, request.form
    start = _seconds(arguments.get("startTime")) or (request.now // _HALF_HOUR + 1) * _HALF_HOUR
    shown = await resources.on_grid(request.db, request.tenant, None, None, most=_LISTED_RESOURCES + 1)
    booked_by = form.value("bookedBy", request.caller.user or "")
    refused = form.refused
    page = NewBookingPage(
        options=[(resource.id, resource.name) for resource in shown],
        few=len(shown) <= _LISTED_RESOURCES,
        resource=await request.picked(resources.LOOKUP, "resourceId"),
        start=start,
        end=_seconds(arguments.get("endTime")) or start + 2 * _HALF_HOUR,
        booked_by=Picked(booked_by, await request.name(users.LOOKUP, booked_by)),
        # A free slot for one date is no use for a series.
        offer=refused.offer if isinstance(refused, Clash) and not form.value("repeat") else None,
    )
    return View("bookings/new.html", page, status)


def _seconds(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 12 else None


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    found = await request.get(queries.BOOKINGS, "bookingId")
    own = request.caller.own_records_only(READS)
    hidden = own is not None and not queries.BOOKINGS.is_own(found, own)
    booking = queries.BOOKINGS.visible_to(found, own)
    resource = await records.get(request.db, resources.RESOURCES, request.tenant, booking.resource_id)
    may_write = rules.may_change(booking, request.caller)
    moves = allowed_moves(request, MOVES, booking.status, _MAY_MOVE) if may_write else []
    opens = rules.check_in_opens(booking, resource)
    takes_check_in = opens <= request.now < booking.end_time
    confirmed = booking.status == BookingStatus.CONFIRMED
    page = BookingPage(
        booking=booking,
        attendees_text=attendees_text(booking.attendees),
        people=await request.names(users.LOOKUP, [booking.booked_by, booking.cancelled_by]),
        location_name=await request.name(locations.LOOKUP, booking.location_id),
        moves=[move for move in moves if move.verb != "cancel" and takes_check_in],
        may_cancel=any(move.verb == "cancel" for move in moves),
        may_end=may_write and rules.is_running(booking, request.now),
        may_change=may_write and confirmed,
        check_in_opens=opens if confirmed and request.now < opens else None,
        hidden=hidden,
        sees_sync_fields=own is None or own.sees_sync_fields,
        # Its past would reveal what is hidden now.
        panels=[] if hidden else await request.panels("booking", booking.id),
    )
    return View("bookings/one.html", page, status)


async def _create(ctx: Context, form: NewBookingForm) -> Booking:
    return await actions.create(ctx, form.new_booking())


async def _change(ctx: Target, form: BookingChangesForm) -> Booking:
    return await actions.change(ctx, form.changes(), scope=form.scope)


async def _cancel(ctx: Target, form: CancelForm) -> Booking:
    return await actions.cancel(ctx, Cancellation(), scope=form.scope)


RECORD = RecordPages.of(LIST, "bookingId", show_one, show_new, path=PATH, say=say)

PAGES = (
    *LIST.pages(),
    RECORD.new(),
    RECORD.create(_create, form=NewBookingForm),
    RECORD.read(),
    RECORD.change(_change, form=BookingChangesForm),
    RECORD.move_with("cancel", _cancel, form=CancelForm),
    RECORD.move("check-in", actions.check_in),
    RECORD.move("end", actions.end_early),
)
