"""The search over everything, and the lists of pickers: number, title, name and code, on the server."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

import msgspec

from steward.kit.db.lookup import LOOKUPS, Found, Lookup
from steward.kit.domain.problems import NotFound
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.slice import Searched, Slice
from steward.web.menu import menu_entries

_OPTIONS = 12
_PREVIEW = 3
_RESULTS = 20


class SearchQuery(msgspec.Struct, frozen=True):
    q: str = ""


class ResultGroup(msgspec.Struct, frozen=True):
    title: str
    path: str
    found: list[Found]


class SearchPage(msgspec.Struct, frozen=True):
    q: str
    groups: list[ResultGroup]


async def show(searched: Sequence[Searched], request: PageRequest[Any, SearchQuery]) -> View:
    text = request.query.q.strip()
    groups = await _search(searched, request, text, _RESULTS) if text else []
    return View("web/search.html", SearchPage(text, groups))


async def preview(searched: Sequence[Searched], request: PageRequest[Any, SearchQuery]) -> Response:
    """The first of each kind, as addresses."""
    text = request.query.q.strip()
    groups = await _search(searched, request, text, _PREVIEW) if text else []
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


async def pick(lookups: Mapping[str, Lookup], request: PageRequest[Any, SearchQuery]) -> Response:
    lookup = lookups.get(request.params["kind"])
    if lookup is None or not request.may(lookup.permission):
        raise NotFound("There is nothing of this kind to choose.")
    own = request.caller.own_records_only(lookup.permission)
    found = await lookup.find(request.db, request.caller.tenant, request.query.q, _OPTIONS, own=own)
    return _json(found)


async def _search(
    searched: Sequence[Searched], request: PageRequest[Any, Any], text: str, limit: int
) -> list[ResultGroup]:
    db, tenant = request.db, request.caller.tenant
    allowed = [(one, one.lookup) for one in searched if request.may(one.lookup.permission)]
    groups = []
    number = text.removeprefix("#")
    if number.isascii() and number.isdigit() and len(number) < 16:
        for one, lookup in allowed:
            own = request.caller.own_records_only(lookup.permission)
            if one.by_number and (found := await one.by_number(db, tenant, int(number), own)):
                groups.append(ResultGroup(one.one, lookup.path, [found]))
    for one, lookup in allowed:
        own = request.caller.own_records_only(lookup.permission)
        if some := await lookup.search(db, tenant, text, limit, own=own):
            groups.append(ResultGroup(one.title, lookup.path, some))
    return groups


def _json(value: Any) -> Response:
    return Response(200, encode(value), [JSON, NOT_KEPT])


def _in_order_of_menu(slices: Sequence[Slice]) -> list[Searched]:
    entries = menu_entries(slices)
    searched = [one for each in slices for one in each.searched]
    return sorted(searched, key=lambda one: [entry.is_at(one.lookup.path) for entry in entries], reverse=True)


def pages(slices: Sequence[Slice]) -> tuple[WebPage, ...]:
    searched, lookups = _in_order_of_menu(slices), {lookup.kind: lookup for lookup in LOOKUPS}
    page = partial(WebPage, query=SearchQuery)
    return (
        page("GET", "/app/search", partial(show, searched)),
        page("GET", "/app/search.json", partial(preview, searched)),
        page("GET", "/app/pick/{kind}", partial(pick, lookups)),
    )
