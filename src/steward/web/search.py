"""The search over everything, and the lists of pickers: number, title, name and code, on the server."""

from typing import Any
from urllib.parse import quote

import msgspec

from steward.asset_types import queries as asset_types
from steward.assets import queries as assets
from steward.bookings.resources import queries as resources
from steward.decks import queries as decks
from steward.forms import queries as forms
from steward.kit.db.lookup import Found, Lookup
from steward.kit.domain.problems import NotFound
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.web.page import PageRequest, View, WebPage
from steward.locations import queries as locations
from steward.sor_schedules import queries as schedules
from steward.users import queries as users
from steward.visitors import queries as visitors
from steward.work_orders import queries as work_orders

_OPTIONS = 12
_PREVIEW = 3
_RESULTS = 20

# In the order in which results are shown.
_SEARCHED: tuple[tuple[str, Lookup], ...] = (
    ("Work orders", work_orders.LOOKUP),
    ("Assets", assets.LOOKUP),
    ("Locations", locations.LOOKUP),
    ("Visitors", visitors.LOOKUP),
    ("Bookable resources", resources.LOOKUP),
    ("Forms", forms.LOOKUP),
    ("Decks", decks.LOOKUP),
    ("Rates", schedules.LOOKUP),
    ("People", users.LOOKUP),
)
_PICKED = {lookup.kind: lookup for lookup in (*(lookup for _, lookup in _SEARCHED), asset_types.LOOKUP)}


class SearchQuery(msgspec.Struct, frozen=True):
    q: str = ""


class ResultGroup(msgspec.Struct, frozen=True):
    title: str
    path: str
    found: list[Found]


async def show(request: PageRequest[Any, SearchQuery]) -> View:
    text = request.query.q.strip()
    groups = await _search(request, text, _RESULTS) if text else []
    return View("web/search.html", {"q": text, "groups": groups})


async def preview(request: PageRequest[Any, SearchQuery]) -> Response:
    """The first of each kind, as addresses."""
    text = request.query.q.strip()
    groups = await _search(request, text, _PREVIEW) if text else []
    found = [
        Found(
            f"{group.path}/{record.id}", record.label, " · ".join(filter(None, (group.title, record.detail)))
        )
        for group in groups
        for record in group.found
    ]
    if found:
        found.append(Found(f"/app/search?q={quote(text)}", f"All results for “{text}”"))
    return _json(found)


async def pick(request: PageRequest[Any, SearchQuery]) -> Response:
    lookup = _PICKED.get(request.params["kind"])
    if lookup is None or not _may_pick(request, lookup):
        raise NotFound("There is nothing of this kind to choose.")
    own = request.caller.own_records_only(lookup.permission)
    found = await lookup.find(request.db, request.caller.tenant, request.query.q, _OPTIONS, own=own)
    return _json(found)


def _may_pick(request: PageRequest[Any, Any], lookup: Lookup) -> bool:
    return request.may(lookup.permission)


async def _search(request: PageRequest[Any, Any], text: str, limit: int) -> list[ResultGroup]:
    db, tenant = request.db, request.caller.tenant
    groups = []
    number = text.removeprefix("#")
    if (
        number.isascii()
        and number.isdigit()
        and len(number) < 16
        and request.may(work_orders.LOOKUP.permission)
    ):
        own = request.caller.own_records_only(work_orders.LOOKUP.permission)
        found = await work_orders.by_number(db, tenant, int(number), own)
        if found is not None:
            groups.append(ResultGroup("Work order", work_orders.LOOKUP.path, [found]))
    for title, lookup in _SEARCHED:
        if not request.may(lookup.permission):
            continue
        own = request.caller.own_records_only(lookup.permission)
        if some := await lookup.search(db, tenant, text, limit, own=own):
            groups.append(ResultGroup(title, lookup.path, some))
    return groups


def _json(value: Any) -> Response:
    return Response(200, encode(value), [JSON, NOT_KEPT])


PAGES = (
    WebPage(method="GET", path="/app/search", handler=show, query=SearchQuery),
    WebPage(method="GET", path="/app/search.json", handler=preview, query=SearchQuery),
    WebPage(method="GET", path="/app/pick/{kind}", handler=pick, query=SearchQuery),
)
