"""Resources in the web app: their rules, free times, and the links to calendar and tablets."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import partial
from typing import Any

import msgspec

from steward.bookings import actions as bookings
from steward.bookings.feeds import actions as feeds
from steward.bookings.feeds import queries as feed_queries
from steward.bookings.grid import rules as days
from steward.bookings.model import Availability
from steward.bookings.resources import actions, queries
from steward.bookings.resources.model import (
    LOOKS,
    BookableResource,
    BookableResourceChanges,
    BookableResourceQuery,
    FreeResourceQuery,
    NewBookableResource,
    ResourceType,
)
from steward.bookings.rules import free_window
from steward.bookings.slots import Slot
from steward.bookings.tablets import queries as tablets
from steward.bookings.tablets.model import MAX_TABLETS, Tablet
from steward.kit.domain.problems import Invalid, NotFound
from steward.kit.http.decoding import convert_query
from steward.kit.records.context import Target
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import ARCHIVED, Choice, Pick, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import ListPart, PageRequest, RenderedPanel, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.kit.web.time_range import moment_of
from steward.locations import queries as locations
from steward.users.invitations.rules import own_url

PATH = "/app/bookings/resources"
_FEED = "/calendars/{token}"
_HALF_HOUR = 1800
_ASKED = ("capacity", "locationId", "type", "limit", "lastEvaluatedKey")


def _buffer(resource: BookableResource) -> str | None:
    return f"{resource.buffer_minutes} min" if resource.buffer_minutes else None


def _check_in(resource: BookableResource) -> str | None:
    return f"within {resource.release_after_minutes} min" if resource.check_in_required else None


LIST = ListPage(
    path=PATH,
    title="Resources",
    listing=queries.LISTING,
    record=BookableResource,
    query=BookableResourceQuery,
    permission=LOOKS,
    write_permission=Permission.BOOKINGS_WRITE,
    new="New resource",
    search="Search by name",
    template="bookings/resources.html",
    columns=(
        Column("name", "Name", cells.link, sort="name"),
        Column("type", "Type"),
        Column("location_id", "Location", cells.reference, lookup=locations.LOOKUP),
        Column("capacity", "Capacity", cells.named),
        Column("features", "Features", cells.joined, shown=False),
        Column("buffer_minutes", "Buffer", cells.named_by(_buffer)),
        Column("check_in_required", "Check-in", cells.named_by(_check_in)),
        Column("active", "Active", cells.yes),
        Column("updated", "Updated", cells.when, sort="updated", shown=False),
    ),
    filters=(
        Choice(name="type", title="Type", options=choices(ResourceType)),
        Pick(name="locationId", title="Location", lookup=locations.LOOKUP, implies=locations.BELOW),
        Choice(name="active", title="Active", options=(("true", "Yes"), ("false", "No"))),
        ARCHIVED,
    ),
    empty=EmptyState(
        "Nothing can be booked yet",
        "Add the first room, desk, parking lot, device or vehicle with “New resource”.",
    ),
)


class NewResourcePage(msgspec.Struct, frozen=True):
    location_name: str | None
    types: tuple[ResourceType, ...] = tuple(ResourceType)


class ResourcePage(msgspec.Struct, frozen=True, kw_only=True):
    resource: BookableResource
    location_name: str | None
    day: date
    window: Slot
    availability: Availability
    tablets: list[Tablet]
    # When the link of its calendar was made.
    calendar_made: int | None
    panels: list[RenderedPanel]
    types: tuple[ResourceType, ...] = tuple(ResourceType)


class FreeResourcesPage(msgspec.Struct, frozen=True, kw_only=True):
    begin: int
    end: int
    location_name: str | None
    found: ListPart[BookableResource]
    problem: str | None
    types: tuple[ResourceType, ...] = tuple(ResourceType)
    detail: Callable[[BookableResource], str] = days.resource_detail


class LinkPage(msgspec.Struct, frozen=True, kw_only=True):
    """A link that is shown once; `what` it is comes before the name of the resource."""

    resource: BookableResource
    link: str
    what: str
    label: str
    hint: str
    page_path: str


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    location = await request.name(locations.LOOKUP, request.form.value("locationId"))
    return View("bookings/resource_new.html", NewResourcePage(location), status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant, id = request.db, request.tenant, request.params["resourceId"]
    found = await request.get(queries.RESOURCES, "resourceId")
    resource = queries.RESOURCES.narrowed(found, request.caller.own_records_only(LOOKS))
    day = days.day_asked(request.arguments.get("date"), request.zone, request.now)
    window = days.day_slot(day, request.zone)
    may_write = request.may(Permission.BOOKINGS_WRITE)
    page = ResourcePage(
        resource=resource,
        location_name=await request.name(locations.LOOKUP, resource.location_id),
        day=day,
        window=window,
        availability=await bookings.availability(
            db, tenant, id, window.start_time, window.end_time, now=request.now
        ),
        tablets=await tablets.of_resource(db, tenant, id, most=MAX_TABLETS) if may_write else [],
        calendar_made=await feed_queries.link_made(db, tenant, id) if may_write else None,
        panels=await request.panels("resource", id),
    )
    return View("bookings/resource.html", page, status)


async def find_free(request: PageRequest[Any, Any]) -> View:
    """What is free from one time to another; for an hour by default."""
    arguments = request.arguments
    start = (request.now // _HALF_HOUR + 1) * _HALF_HOUR
    begin = moment_of(arguments.get("from", ""), request.zone) or start
    end = moment_of(arguments.get("to", ""), request.zone) or begin + 2 * _HALF_HOUR
    features = ",".join(part for word in arguments.get("features", "").split(",") if (part := word.strip()))
    asked = {name: arguments[name] for name in _ASKED if name in arguments}
    found: ListPart[BookableResource] = ListPart([], None)
    problem = None
    try:
        more = {"features": features} if features else {}
        query = convert_query(FreeResourceQuery, {"from": str(begin), "to": str(end), **asked, **more})
        free_window(begin, end)
        found = await request.part(queries.FREE, BookableResource, query)
    except Invalid as invalid:
        problem = invalid.message
    page = FreeResourcesPage(
        begin=begin,
        end=end,
        location_name=await request.name(locations.LOOKUP, arguments.get("locationId")),
        found=found,
        problem=problem,
    )
    return View("bookings/free.html", page, 422 if problem else 200)


def show_link(_request: PageRequest[Any, Any], link: LinkPage) -> View:
    return View("bookings/link.html", link, 201, secret=True)


async def make_calendar_link(public_url: str | None, request: PageRequest[Any, Any]) -> View:
    site = public_url or own_url(request.host, https=request.https)
    resource = await request.get(queries.RESOURCES, "resourceId")
    token = await feeds.new_link(request.context.on(resource.id))
    link = LinkPage(
        resource=resource,
        link=site + _FEED.format(token=token),
        what="Calendar of",
        label="Calendar address",
        hint="Add it to a calendar program as a subscription. It shows titles and times, and no names. A link that was "
        "made before no longer works.",
        page_path=f"{PATH}/{resource.id}",
    )
    return show_link(request, link)


async def _revoke_calendar_link(ctx: Target) -> None:
    with suppress(NotFound):  # booked by somebody else meanwhile
        await feeds.revoke_link(ctx)


RECORD = RecordPages.of(LIST, "resourceId", show_one, show_new)
LINKS = f"{RECORD.one}#links"


def pages(public_url: str | None) -> tuple[WebPage, ...]:
    """`public_url` is where links lead to; None: where the browser is."""
    link = f"{RECORD.one}/calendar-link"
    return (
        *LIST.pages(),
        WebPage("GET", "/app/bookings/free", find_free, LOOKS),
        *RECORD.pages(
            actions.create, NewBookableResource, actions.change, BookableResourceChanges, actions.delete
        ),
        *RECORD.archiving(actions.ARCHIVING.archive, actions.ARCHIVING.restore),
        WebPage("POST", link, partial(make_calendar_link, public_url), Permission.BOOKINGS_WRITE),
        RECORD.move("calendar-link/revoke", _revoke_calendar_link, to=LINKS),
    )
