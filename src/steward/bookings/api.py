from typing import Any

from msgspec.structs import replace

from steward.bookings import actions, queries, rules
from steward.bookings.model import (
    BOOKS,
    EXAMPLE,
    READS,
    Availability,
    AvailabilityQuery,
    Booking,
    BookingChanges,
    BookingQuery,
    Cancellation,
    NewBooking,
    ScopeQuery,
)
from steward.bookings.resources.api import RESOURCES
from steward.bookings.resources.model import LOOKS, BookableResource, FreeResourceQuery
from steward.bookings.resources.queries import FREE
from steward.bookings.slots import BusySlot, Slot
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one, page, plain
from steward.kit.http.route import Call, NoBody, Route
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission

_BOOKINGS = Resource(
    tag="Bookings",
    path="/organizations/{orgId}/bookings",
    id_name="bookingId",
    gives=Booking,
    example=EXAMPLE,
    table=queries.BOOKINGS,
    listing=queries.LISTING,
    read_permission=READS,
    write_permission=BOOKS,
)
_TAKEN: dict[str, Any] = {
    "refusals": {
        409: "The resource is taken, not active or archived, or the booking is not Confirmed; the message names the booking that is "
        "in the way and the next free slot of the same length, which `conflicts` and `nextFree` hold as data."
    }
}


def _scoped(route: Route, action: Any) -> Route:
    """A change that may affect the other dates of a series."""

    async def handler(call: Call[Any, ScopeQuery]) -> Response:
        found = await action(_BOOKINGS.target(call), call.body, scope=call.query.scope)
        return one(_BOOKINGS.shown(call, found), request_id=call.request_id)

    return replace(route, handler=handler, query=ScopeQuery)


async def list_free(call: Call[NoBody, FreeResourceQuery]) -> Response:
    rules.free_window(call.query.from_, call.query.to)
    own = call.caller.own_records_only(LOOKS)
    found = await FREE.page(call.db, call.cursors, call.caller.tenant, call.query, own=own)
    return page(found, request_id=call.request_id)


_FREE_ROUTE = Route(
    method="GET",
    path=RESOURCES.path + "/free",
    handler=list_free,
    tag=RESOURCES.tag,
    summary="Find free resources",
    operation_id="findFreeResources",
    description="Active resources that are free for the whole time, buffers included: each of them "
    "could be booked for this time.",
    permission=LOOKS,
    query=FreeResourceQuery,
    gives=BookableResource,
    shape="page",
    example=RESOURCES.example,
)


async def availability(call: Call[NoBody, AvailabilityQuery]) -> Response:
    asked = call.query
    return plain(
        await actions.availability(
            call.db, call.caller.tenant, call.params["resourceId"], asked.from_, asked.to, now=call.now
        )
    )


_AVAILABILITY = Route(
    method="GET",
    path=RESOURCES.path + "/{resourceId}/availability",
    handler=availability,
    tag=RESOURCES.tag,
    summary="Show when a resource is free",
    operation_id="showWhenResourceIsFree",
    description="`busy` are the bookings that overlap the window, `free` the parts of it in which a new one may lie: the "
    "buffer is already taken off. Nothing is free while the resource is not active or archived.",
    permission=LOOKS,
    query=AvailabilityQuery,
    gives=Availability,
    shape="plain",
    example=Availability(
        resource_id=EXAMPLE.resource_id,
        from_=1767254400,
        to=1767283200,
        busy=[BusySlot(EXAMPLE.start_time, EXAMPLE.end_time, EXAMPLE.id)],
        free=[Slot(1767254400, 1767257100), Slot(1767262500, 1767283200)],
    ),
)

_ROUTES: tuple[Route, ...] = (
    _FREE_ROUTE,
    _AVAILABILITY,
    _BOOKINGS.list("listBookings", "List bookings", query=BookingQuery),
    *_BOOKINGS.exports("exportBookings", "bookings", query=BookingQuery, permission=Permission.BOOKINGS_READ),
    _BOOKINGS.create(
        actions.create,
        "bookResource",
        "Book a resource",
        description="From startTime up to, not including, endTime; at most 31 days, and not wholly in the past. With a "
        "`recurrence` every date of it becomes a booking of its own, or none does; the answer is the first of them, and "
        f"`seriesId` finds the others. With `{Permission.BOOKINGS_BOOK}` alone a booking has no `externalId` and no `metadata`.",
        body=NewBooking,
        body_example={
            "resourceId": EXAMPLE.resource_id,
            "startTime": EXAMPLE.start_time,
            "endTime": EXAMPLE.end_time,
            "title": EXAMPLE.title,
        },
        **_TAKEN,
    ),
    _BOOKINGS.read("readBooking", "Read a booking"),
    _scoped(
        _BOOKINGS.change(
            actions.change,
            "changeBooking",
            "Change a booking",
            description="With a scope, other dates of a recurring booking change in the same way: their times by the same "
            "difference on the clock of the location. All of them do, or none.",
            body=BookingChanges,
            body_example={"endTime": EXAMPLE.end_time + 1800},
            **_TAKEN,
        ),
        actions.change,
    ),
    _scoped(
        _BOOKINGS.move_with(
            "cancel", actions.cancel, "cancelBooking", "Cancel a booking", body=Cancellation, body_example={}
        ),
        actions.cancel,
    ),
    _BOOKINGS.move(
        "check-in",
        actions.check_in,
        "checkInToBooking",
        "Check in to a booking",
        description="From 15 minutes before the start (or the resource's buffer, if that is longer) until the end.",
        refusals={409: "Too early, too late, or not in this state; the message says which."},
    ),
)

ROUTES = synced(_BOOKINGS, _ROUTES, "a booking", "bookings")
