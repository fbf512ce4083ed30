"""The grid: a page for a day, a list of it for phones and keyboards, and the data for its script."""

from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any, TypeVar

import msgspec

from steward.bookings import actions, queries
from steward.bookings.clashes import Clash
from steward.bookings.grid import rules
from steward.bookings.grid.model import MAX_BOOKINGS, MAX_RESOURCES, DayQuery, GridFilter, GridQuery
from steward.bookings.model import BOOKS, READS, Booking, BookingChanges, NewBooking
from steward.bookings.resources import queries as resources
from steward.bookings.resources.model import BookableResource, ResourceType
from steward.bookings.rules import CheckInClosed
from steward.bookings.slots import Slot
from steward.kit.domain.problems import Conflict
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.record_pages import expected_version
from steward.locations import queries as locations
from steward.users import queries as users

PATH = "/app/bookings"
R = TypeVar("R")


async def say(request: PageRequest[Any, Any], work: Awaitable[R]) -> R:
    """Refusals with times in the viewer's zone, and titles instead of identifiers."""
    try:
        return await work
    except Clash as clash:
        words = rules.clash_in_words(clash, request.zone)
        raise Clash(words, clash.resource, clash.conflicts, clash.offer, dates=clash.dates) from clash
    except CheckInClosed as closed:
        raise Conflict(rules.closed_in_words(closed, request.zone, request.now)) from closed


class GridPage(msgspec.Struct, frozen=True, kw_only=True):
    day: date
    window: Slot
    view: str
    before: date
    after: date
    today: date
    resources: list[BookableResource]
    by_resource: dict[str, list[Booking]]
    more: bool
    people: dict[str, str]
    location_name: str | None
    user_name: str | None
    most: int = MAX_RESOURCES
    types: tuple[ResourceType, ...] = tuple(ResourceType)
    detail: Callable[[BookableResource], str] = rules.resource_detail


async def show(request: PageRequest[Any, DayQuery]) -> View:
    query, week = request.query, request.query.view == "week"
    asked = rules.day_asked(query.date, request.zone, request.now)
    day = rules.monday(asked) if week else asked
    window = rules.day_slot(day, request.zone)
    shown, bookings, people = await _found(request, query, window)
    by_resource: dict[str, list[Booking]] = {resource.id: [] for resource in shown[:MAX_RESOURCES]}
    for booking in bookings[:MAX_BOOKINGS]:
        by_resource[booking.resource_id].append(booking)
    step = timedelta(days=7 if week else 1)
    page = GridPage(
        day=day,
        window=window,
        view=query.view,
        before=day - step,
        after=day + step,
        today=rules.day_asked(None, request.zone, request.now),
        resources=shown[:MAX_RESOURCES],
        by_resource=by_resource,
        more=len(shown) > MAX_RESOURCES,
        people=people,
        location_name=await request.name(locations.LOOKUP, query.location_id),
        user_name=await request.name(users.LOOKUP, request.caller.user),
    )
    return View("bookings/grid.html", page, fragments={"day": "bookings/day.html"})


async def show_events(request: PageRequest[Any, GridQuery]) -> Response:
    window = rules.grid_window(request.query)
    shown, bookings, people = await _found(request, request.query, window)
    made = rules.grid(shown, bookings, people, request.caller)
    return Response(200, encode(made), [JSON, NOT_KEPT])


async def _found(
    request: PageRequest[Any, Any], asked: GridFilter, window: Slot
) -> tuple[list[BookableResource], list[Booking], dict[str, str]]:
    """Three statements, for any content."""
    db, tenant = request.db, request.tenant
    shown = await resources.on_grid(db, tenant, asked.type, asked.location_id, most=MAX_RESOURCES + 1)
    ids = [resource.id for resource in shown[:MAX_RESOURCES]]
    found = await queries.on_grid(db, tenant, ids, window, most=MAX_BOOKINGS + 1) if ids else []
    own = request.caller.own_records_only(READS)
    bookings = [queries.BOOKINGS.visible_to(booking, own) for booking in found]
    people = await request.names(users.LOOKUP, [booking.booked_by for booking in bookings])
    return shown, bookings, people


async def create(request: PageRequest[NewBooking, Any]) -> Response:
    return await _answer(request, lambda new: actions.create(request.context, new), 201)


async def change_time(request: PageRequest[BookingChanges, Any]) -> Response:
    target = request.context.on(request.params["bookingId"], expected_version(request))
    return await _answer(request, lambda changes: actions.change(target, changes), 200)


async def _answer(
    request: PageRequest[Any, Any], act: Callable[[Any], Awaitable[Booking]], status: int
) -> Response:
    """The answer to the grid's script: done, or the reason and what is free instead."""
    form = request.form
    if form.content is None:
        return Response(
            422, encode({"message": " ".join(form.errors.values()), "offer": None}), [JSON, NOT_KEPT]
        )
    try:
        booking = await say(request, act(form.content))
    except Exception as error:
        problem = request.explain(error)
        if problem.status >= 500:
            raise problem from error
        offer = problem.offer if isinstance(problem, Clash) else None
        details = [f"{detail.field} {detail.message}" for detail in problem.details]
        words = "; ".join(details) if details else problem.message
        return Response(problem.status, encode({"message": words, "offer": offer}), [JSON, NOT_KEPT])
    return Response(status, encode({"id": booking.id}), [JSON, NOT_KEPT])


PAGES = (
    WebPage("GET", PATH, show, READS, query=DayQuery),
    WebPage("GET", f"{PATH}/events.json", show_events, READS, query=GridQuery),
    WebPage("POST", f"{PATH}/events.json", create, BOOKS, form=NewBooking),
    WebPage("POST", f"{PATH}/{{bookingId}}/time.json", change_time, BOOKS, form=BookingChanges),
)
