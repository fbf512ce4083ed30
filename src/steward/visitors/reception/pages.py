"""The page of the front desk, the badge of a visitor, and the evacuation list."""

from typing import Annotated, Any
from urllib.parse import urlencode

from msgspec import Meta

from steward.kit.db import search
from steward.kit.domain.days import date_of, end_of, midnight
from steward.kit.domain.fields import Body, Identifier
from steward.kit.domain.problems import Conflict
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.remember import remember
from steward.locations import queries as locations
from steward.users import queries as users
from steward.visitors.model import Visitor
from steward.visitors.pages import PATH
from steward.visitors.queries import VISITORS
from steward.visitors.reception import queries
from steward.visitors.reception.queries import Narrowing

# For each of the three lists; the search finds the others.
_SHOWN = 100
# More than any building holds: the evacuation list must be complete.
_EVERYBODY = 20_000


# The buildings that one desk serves.
_MOST_PLACES = 10
Places = Annotated[list[Identifier], Meta(max_length=_MOST_PLACES)]


class ReceptionQuery(Body, frozen=True):
    """`desk` says that the places were chosen here and now, even if there are none."""

    q: str | None = None
    location_id: Places | None = None
    desk: str | None = None


class EvacuationQuery(Body, frozen=True):
    location_id: Places | None = None


async def reception(request: PageRequest[Any, ReceptionQuery]) -> View:
    db, tenant, query = request.db, request.caller.tenant, request.query
    day = date_of(request.now, request.zone)
    span = {"start": midnight(day, request.zone), "end": end_of(day, request.zone)}
    chosen = query.desk is not None or query.location_id is not None
    places = (query.location_id or []) if chosen else await _remembered(request)
    to = await _narrowing(request, query.q, places)
    lists = {
        "expected": await queries.expected(db, tenant, to, _SHOWN + 1, **span),
        "on_site": await queries.on_site(db, tenant, to, _SHOWN + 1),
        "left": await queries.left(db, tenant, to, _SHOWN + 1, **span),
    }
    names = await _names(request, [v for found in lists.values() for v in found[:_SHOWN]], places)
    values = {
        **lists,
        **names,
        "most": _SHOWN,
        "day": span["start"],
        "arguments": request.arguments,
        "here": f"{PATH}?{urlencode(request.arguments)}" if request.arguments else PATH,
        "location_ids": places,
        "may_write": request.may(Permission.VISITORS_WRITE),
    }
    fragments = {"reception": "visitors/reception_part.html"}
    kept = ".".join(id for id in places if id in names["places"])
    headers = remember(_desk(request), kept, https=request.https) if chosen else []
    return View("visitors/reception.html", values, headers=headers, fragments=fragments, secret=True)


def _desk(request: PageRequest[Any, Any]) -> str:
    """A browser may be used for several organizations, which have other buildings."""
    return f"desk_{request.caller.tenant}"


async def _remembered(request: PageRequest[Any, Any]) -> list[str]:
    """The places last chosen in this browser, as far as they still exist."""
    ids = request.remembered.get(_desk(request), "").split(".")[:_MOST_PLACES]
    return list(await locations.LOOKUP.names(request.db, request.caller.tenant, ids))


async def evacuation(request: PageRequest[Any, EvacuationQuery]) -> View:
    """Everyone on site, by place and name; ticks live only in the page."""
    asked = request.query.location_id or []
    to = await _narrowing(request, None, asked)
    found = await queries.on_site(request.db, request.caller.tenant, to, _EVERYBODY)
    names = await _names(request, found, asked)
    places = names["places"]
    found.sort(
        key=lambda visitor: (
            places.get(visitor.location_id or "", "").casefold(),
            (visitor.name or "").casefold(),
        )
    )
    values = {
        "visitors": found,
        "complete": len(found) < _EVERYBODY,
        "day": midnight(date_of(request.now, request.zone), request.zone),
        "location_ids": asked,
        **names,
    }
    return View("visitors/evacuation.html", values, secret=True)


async def badge(request: PageRequest[Any, Any]) -> View:
    visitor = await records.get(request.db, VISITORS, request.caller.tenant, request.params["visitorId"])
    if visitor.erased_at is not None:
        raise Conflict("This visitor has been erased; there is no name for a badge.")
    names = await _names(request, [visitor], [])
    return View("visitors/badge.html", {"visitor": visitor, **names}, secret=True)


async def _narrowing(request: PageRequest[Any, Any], text: str | None, places: list[str]) -> Narrowing:
    """A place includes everything within it. A text too short to search for doesn't narrow the list."""
    tenant = request.caller.tenant
    below = await locations.within(request.db, tenant, places) if places else None
    if text and search.is_searchable(text):
        return Narrowing(below, *search.query(tenant, text))
    return Narrowing(below)


async def _names(
    request: PageRequest[Any, Any], visitors: list[Visitor], asked: list[str]
) -> dict[str, dict[str, str]]:
    db, tenant = request.db, request.caller.tenant
    places = [*asked, *(visitor.location_id for visitor in visitors)]
    return {
        "people": await users.LOOKUP.names(db, tenant, (visitor.host_id for visitor in visitors)),
        "places": await locations.LOOKUP.names(db, tenant, places),
    }


PAGES = (
    WebPage("GET", PATH, reception, Permission.VISITORS_READ, query=ReceptionQuery),
    WebPage("GET", f"{PATH}/evacuation", evacuation, Permission.VISITORS_READ, query=EvacuationQuery),
    WebPage("GET", f"{PATH}/{{visitorId}}/badge", badge, Permission.VISITORS_READ),
)
