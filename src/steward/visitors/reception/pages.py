"""The page of the front desk, the badge of a visitor, and the evacuation list."""

from typing import Annotated, Any
from urllib.parse import urlencode

import msgspec
from msgspec import Meta

from steward.kit.db import search
from steward.kit.domain.days import date_of, end_of, midnight
from steward.kit.domain.fields import Body, Identifier
from steward.kit.domain.problems import Conflict
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


class ReceptionPage(msgspec.Struct, frozen=True, kw_only=True):
    # One more of each than is shown.
    expected: list[Visitor]
    on_site: list[Visitor]
    left: list[Visitor]
    people: dict[str, str]
    places: dict[str, str]
    day: int
    here: str
    location_ids: list[str]
    most: int = _SHOWN


class EvacuationList(msgspec.Struct, frozen=True, kw_only=True):
    visitors: list[Visitor]
    complete: bool
    day: int
    location_ids: list[str]
    people: dict[str, str]
    places: dict[str, str]


class Badge(msgspec.Struct, frozen=True):
    visitor: Visitor
    host_name: str | None
    location_name: str | None


async def reception(request: PageRequest[Any, ReceptionQuery]) -> View:
    db, tenant, query = request.db, request.tenant, request.query
    day = date_of(request.now, request.zone)
    start, end = midnight(day, request.zone), end_of(day, request.zone)
    chosen = query.desk is not None or query.location_id is not None
    asked = (query.location_id or []) if chosen else await _remembered(request)
    to = await _narrowing(request, query.q, asked)
    expected = await queries.expected(db, tenant, to, _SHOWN + 1, start=start, end=end)
    on_site = await queries.on_site(db, tenant, to, _SHOWN + 1)
    left = await queries.left(db, tenant, to, _SHOWN + 1, start=start, end=end)
    shown = [visitor for found in (expected, on_site, left) for visitor in found[:_SHOWN]]
    people = await request.names(users.LOOKUP, (visitor.host_id for visitor in shown))
    places = await request.names(locations.LOOKUP, [*asked, *(visitor.location_id for visitor in shown)])
    page = ReceptionPage(
        expected=expected,
        on_site=on_site,
        left=left,
        people=people,
        places=places,
        day=start,
        here=f"{PATH}?{urlencode(request.arguments)}" if request.arguments else PATH,
        location_ids=asked,
    )
    fragments = {"reception": "visitors/reception_part.html"}
    kept = ".".join(id for id in asked if id in places)
    headers = remember(_desk(request), kept, https=request.https) if chosen else []
    return View("visitors/reception.html", page, headers=headers, fragments=fragments, secret=True)


def _desk(request: PageRequest[Any, Any]) -> str:
    """A browser may be used for several organizations, which have other buildings."""
    return f"desk_{request.tenant}"


async def _remembered(request: PageRequest[Any, Any]) -> list[str]:
    """The places last chosen in this browser, as far as they still exist."""
    ids = request.remembered.get(_desk(request), "").split(".")[:_MOST_PLACES]
    return list(await request.names(locations.LOOKUP, ids))


async def evacuation(request: PageRequest[Any, EvacuationQuery]) -> View:
    """Everyone on site, by place and name; ticks live only in the page."""
    asked = request.query.location_id or []
    to = await _narrowing(request, None, asked)
    found = await queries.on_site(request.db, request.tenant, to, _EVERYBODY)
    people = await request.names(users.LOOKUP, (visitor.host_id for visitor in found))
    places = await request.names(locations.LOOKUP, [*asked, *(visitor.location_id for visitor in found)])
    found.sort(
        key=lambda visitor: (
            places.get(visitor.location_id or "", "").casefold(),
            (visitor.name or "").casefold(),
        )
    )
    page = EvacuationList(
        visitors=found,
        complete=len(found) < _EVERYBODY,
        day=midnight(date_of(request.now, request.zone), request.zone),
        location_ids=asked,
        people=people,
        places=places,
    )
    return View("visitors/evacuation.html", page, secret=True)


async def badge(request: PageRequest[Any, Any]) -> View:
    visitor = await request.get(VISITORS, "visitorId")
    if visitor.erased_at is not None:
        raise Conflict("This visitor has been erased; there is no name for a badge.")
    host = await request.name(users.LOOKUP, visitor.host_id)
    place = await request.name(locations.LOOKUP, visitor.location_id)
    return View("visitors/badge.html", Badge(visitor, host, place), secret=True)


async def _narrowing(request: PageRequest[Any, Any], text: str | None, places: list[str]) -> Narrowing:
    """A place includes everything within it. A text too short to search for doesn't narrow the list."""
    tenant = request.tenant
    below = await locations.within(request.db, tenant, places) if places else None
    if text and search.is_searchable(text):
        return Narrowing(below, *search.query(tenant, text))
    return Narrowing(below)


PAGES = (
    WebPage("GET", PATH, reception, Permission.VISITORS_READ, query=ReceptionQuery),
    WebPage("GET", f"{PATH}/evacuation", evacuation, Permission.VISITORS_READ, query=EvacuationQuery),
    WebPage("GET", f"{PATH}/{{visitorId}}/badge", badge, Permission.VISITORS_READ),
)
