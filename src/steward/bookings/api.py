from typing import Any

from steward.bookings import actions, queries, rules
from steward.bookings.model import (
    BOOKS,
    EXAMPLE,
    READS,
    Availability,
    AvailabilityQuery,
    BookingChanges,
    BookingQuery,
    Cancellation,
    NewBooking,
    ScopeQuery,
)
from steward.bookings.resources.api import RESOURCES
from steward.bookings.resources.model import LOOKS, FreeResourceQuery
from steward.bookings.resources.queries import FREE
from steward.bookings.slots import BusySlot, Slot
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one, page, plain
from steward.kit.http.route import Call, Handler, NoBody
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission

_BOOKINGS = Resource(
    path="/organizations/{orgId}/bookings",
    example=EXAMPLE,
    table=queries.BOOKINGS,
    listing=queries.LISTING,
    query=BookingQuery,
    read_permission=READS,
    write_permission=BOOKS,
)
_TAKEN = {
    409: "The resource is taken, not active or archived, or the booking is not Confirmed; the message names the booking that is "
    "in the way and the next free slot of the same length, which `conflicts` and `nextFree` hold as data."
}


def _scoped(action: Any) -> Handler:
    """Of a change that may affect the other dates of a series."""

    async def handler(call: Call[Any, ScopeQuery]) -> Response:
        found = await action(_BOOKINGS.target(call), call.body, scope=call.query.scope)
        return one(_BOOKINGS.shown(call, found), request_id=call.request_id)

    return handler


async def list_free(call: Call[NoBody, FreeResourceQuery]) -> Response:
    rules.free_window(call.query.from_, call.query.to)
    own = call.caller.own_records_only(LOOKS)
    found = await FREE.page(call.db, call.cursors, call.caller.tenant, call.query, own=own)
    return page(found, request_id=call.request_id)


_FREE_ROUTE = RESOURCES.route(
    "GET",
    "/free",
    handler=list_free,
    summary="Find free resources",
    description="Active resources that are free for the whole time, buffers included: each of them "
    "could be booked for this time.",
    query=FreeResourceQuery,
    shape="page",
)


async def availability(call: Call[NoBody, AvailabilityQuery]) -> Response:
    id, asked = call.params["resourceId"], call.query
    found = actions.availability(call.db, call.caller.tenant, id, asked.from_, asked.to, now=call.now)
    return plain(await found)


_AVAILABILITY = RESOURCES.route(
    "GET",
    f"{RESOURCES.item}/availability",
    handler=availability,
    summary="Show when a resource is free",
    description="`busy` are the bookings that overlap the window, `free` the parts of it in which a new one may lie: the "
    "buffer is already taken off. Nothing is free while the resource is not active or archived.",
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

ROUTES = synced(
    _BOOKINGS,
    _FREE_ROUTE,
    _AVAILABILITY,
    _BOOKINGS.list(),
    *_BOOKINGS.exports(permission=Permission.BOOKINGS_READ),
    _BOOKINGS.create(
        actions.create,
        NewBooking,
        summary="Book a resource",
        description="From startTime up to, not including, endTime; at most 31 days, and not wholly in the past. With a "
        "`recurrence` every date of it becomes a booking of its own, or none does; the answer is the first of them, and "
        f"`seriesId` finds the others. With `{Permission.BOOKINGS_BOOK}` alone a booking has no `externalId` and no `metadata`.",
        body_example={
            "resourceId": EXAMPLE.resource_id,
            "startTime": EXAMPLE.start_time,
            "endTime": EXAMPLE.end_time,
            "title": EXAMPLE.title,
        },
        refusals=_TAKEN,
    ),
    _BOOKINGS.read(),
    _BOOKINGS.change(
        actions.change,
        BookingChanges,
        handler=_scoped(actions.change),
        query=ScopeQuery,
        description="With a scope, other dates of a recurring booking change in the same way: their times by the same "
        "difference on the clock of the location. All of them do, or none.",
        body_example={"endTime": EXAMPLE.end_time + 1800},
        refusals=_TAKEN,
    ),
    _BOOKINGS.move_with(
        "cancel", actions.cancel, Cancellation, handler=_scoped(actions.cancel), query=ScopeQuery
    ),
    _BOOKINGS.move(
        "check-in",
        actions.check_in,
        summary="Check in to a booking",
        description="From 15 minutes before the start (or the resource's buffer, if that is longer) until the end.",
        refusals={409: "Too early, too late, or not in this state; the message says which."},
    ),
)
