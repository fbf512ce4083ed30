"""Resources in the web app: their rules, free times, and the links to calendar and tablets."""

from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from steward.bookings import actions as bookings
from steward.bookings.feeds import actions as feeds
from steward.bookings.feeds import queries as feed_queries
from steward.bookings.grid import rules as days
from steward.bookings.model import BOOKS
from steward.bookings.resources import actions, queries
from steward.bookings.resources import cells as resource_cells
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
from steward.bookings.tablets import queries as tablets
from steward.bookings.tablets.model import MAX_TABLETS
from steward.kit.domain.problems import Invalid, NotFound
from steward.kit.http.decoding import convert_query
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_page import ARCHIVED, Choice, EmptyState, ListPage, Pick, choices
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.kit.web.time_range import moment_of
from steward.locations import queries as locations
from steward.users.invitations.rules import own_url

PATH = "/app/bookings/resources"
_FEED = "/calendars/{token}"
_HALF_HOUR = 1800
_ASKED = ("capacity", "locationId", "type", "limit", "lastEvaluatedKey")

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
        Column("buffer_minutes", "Buffer", resource_cells.minutes),
        Column("check_in_required", "Check-in", resource_cells.check_in),
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


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    values = {
        "form": request.form,
        "types": list(ResourceType),
        "location_name": await locations.LOOKUP.name(
            request.db, request.caller.tenant, request.form.value("locationId")
        ),
    }
    return View("bookings/resource_new.html", values, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant, id = request.db, request.caller.tenant, request.params["resourceId"]
    found = await records.get(db, queries.RESOURCES, tenant, id)
    resource = queries.RESOURCES.narrowed(found, request.caller.own_records_only(LOOKS))
    day = days.day_asked(request.arguments.get("date"), request.zone, request.now)
    window = days.day_slot(day, request.zone)
    free = await bookings.availability(db, tenant, id, window.start_time, window.end_time, now=request.now)
    may_write = request.may(Permission.BOOKINGS_WRITE)
    values = {
        "resource": resource,
        "types": list(ResourceType),
        "location_name": await locations.LOOKUP.name(db, tenant, resource.location_id),
        "day": day,
        "window": window,
        "availability": free,
        "tablets": await tablets.of_resource(db, tenant, id, most=MAX_TABLETS) if may_write else [],
        "calendar_made": await feed_queries.link_made(db, tenant, id) if may_write else None,
        "may_write": may_write,
        "may_book": request.may(BOOKS),
        "form": request.form,
        "page_path": f"{PATH}/{id}",
        "panels": await request.panels("resource", id),
    }
    return View("bookings/resource.html", values, status)


RECORD = RecordPages(
    path=PATH,
    id_name="resourceId",
    read_permission=LOOKS,
    write_permission=Permission.BOOKINGS_WRITE,
    show=show_one,
    show_new=show_new,
)


async def find_free(request: PageRequest[Any, Any]) -> View:
    """What is free from one time to another; for an hour by default."""
    arguments, db, tenant = request.arguments, request.db, request.caller.tenant
    start = (request.now // _HALF_HOUR + 1) * _HALF_HOUR
    times = {name: moment_of(arguments.get(name, ""), request.zone) for name in ("from", "to")}
    begin = times["from"] or start
    end = times["to"] or begin + 2 * _HALF_HOUR
    features = ",".join(part for word in arguments.get("features", "").split(",") if (part := word.strip()))
    asked = {name: arguments[name] for name in _ASKED if name in arguments}
    found, problem = None, None
    try:
        more = {"features": features} if features else {}
        query = convert_query(FreeResourceQuery, {"from": str(begin), "to": str(end), **asked, **more})
        free_window(begin, end)
        found = await queries.FREE.page(db, request.cursors, tenant, query)
    except Invalid as invalid:
        problem = invalid.message
    values = {
        "arguments": arguments,
        "begin": begin,
        "end": end,
        "types": list(ResourceType),
        "location_name": await locations.LOOKUP.name(db, tenant, arguments.get("locationId")),
        "found": [msgspec.json.decode(item, type=BookableResource) for item in found.items] if found else [],
        "next_page": found.last_evaluated_key if found else None,
        "problem": problem,
        "detail": days.resource_detail,
        "may_book": request.may(BOOKS),
    }
    return View("bookings/free.html", values, 422 if problem else 200)


async def make_calendar_link(public_url: str | None, request: PageRequest[Any, Any]) -> View:
    id = request.params["resourceId"]
    site = public_url or own_url(request.host, https=request.https)
    resource = await records.get(request.db, queries.RESOURCES, request.caller.tenant, id)
    token = await feeds.new_link(request.context.on(id))
    values = {
        "resource": resource,
        "link": site + _FEED.format(token=token),
        "what": "Calendar of",
        "label": "Calendar address",
        "hint": "Add it to a calendar program as a subscription. It shows titles and times, and no names. A link that was "
        "made before no longer works.",
        "page_path": f"{PATH}/{id}",
    }
    return View("bookings/link.html", values, 201, secret=True)


async def revoke_calendar_link(request: PageRequest[Any, Any]) -> Redirect:
    id = request.params["resourceId"]
    with suppress(NotFound):  # booked by somebody else meanwhile
        await feeds.revoke_link(request.context.on(id))
    return Redirect(f"{PATH}/{id}#links")


def pages(public_url: str | None) -> tuple[WebPage, ...]:
    """`public_url` is where links lead to; None: where the browser is."""
    return (
        *LIST.pages(),
        WebPage("GET", "/app/bookings/free", find_free, LOOKS),
        RECORD.new(),
        RECORD.create(actions.create, form=NewBookableResource),
        RECORD.read(),
        RECORD.change(actions.change, form=BookableResourceChanges),
        RECORD.delete(actions.delete),
        *RECORD.archiving(actions.ARCHIVING.archive, actions.ARCHIVING.restore),
        WebPage(
            "POST",
            f"{RECORD.one}/calendar-link",
            partial(make_calendar_link, public_url),
            Permission.BOOKINGS_WRITE,
        ),
        WebPage(
            "POST", f"{RECORD.one}/calendar-link/revoke", revoke_calendar_link, Permission.BOOKINGS_WRITE
        ),
    )
