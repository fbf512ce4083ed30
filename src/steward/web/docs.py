"""The API reference and its guides: rendered once, kept as bytes. Only a search is made for who asks."""

import hashlib
from typing import Annotated, Any

import jinja2
import msgspec

from steward.kit.http.response import Response
from steward.kit.web.page import PageRequest, View, WebPage
from steward.tokens.model import MIGRATION_PAGE, REMOVAL
from steward.web import api_reference
from steward.web.docs_search import MAX_RESULTS, entries, search
from steward.web.rendering import page_bytes
from steward.web.schemas import Json

REFERENCE_PAGE = "/docs"
EVENTS_PAGE = "/docs/event-types"
SCHEMAS_PAGE = "/docs/schemas"
SEARCH_PAGE = "/docs/search"

# The headings of the first page.
TOPICS = (
    ("start", "First call"),
    ("authentication", "Authentication"),
    ("errors", "Errors"),
    ("pagination", "Pagination"),
    ("idempotency", "Sending twice, changing safely"),
    ("limits", "Limits"),
    ("operations", "All operations"),
)


class DocsQuery(msgspec.Struct, frozen=True):
    q: Annotated[str, msgspec.Meta(max_length=200)] = ""


def pages(document: Json, templates: jinja2.Environment) -> tuple[WebPage, ...]:
    groups = api_reference.groups(document)
    events = api_reference.events(document)
    schemas = api_reference.schemas(document)
    shared = {"topics": TOPICS, "groups": groups, "events": events, "schemas": schemas, "here": None, "q": ""}
    index = entries(groups, events, schemas, TOPICS)

    async def find(request: PageRequest[Any, DocsQuery]) -> View:
        found = search(index, request.query.q)
        values = {**shared, "q": request.query.q, "found": found[:MAX_RESULTS], "count": len(found)}
        return View("web/docs_search.html", values)

    def kept(path: str, template: str, **values: Any) -> WebPage:
        return _document(path, page_bytes(templates, template, {"path": path, **shared, **values}))

    return (
        kept(REFERENCE_PAGE, "web/docs_start.html", info=document["info"]),
        *(kept(group.path, "web/docs_group.html", here=group) for group in groups),
        kept(EVENTS_PAGE, "web/docs_events.html"),
        kept(SCHEMAS_PAGE, "web/docs_schemas.html"),
        kept(MIGRATION_PAGE, "web/docs_api_keys.html", removal=REMOVAL.strftime("%-d %B %Y")),
        WebPage(method="GET", path=SEARCH_PAGE, handler=find, public=True, query=DocsQuery),
    )


def _document(path: str, body: bytes) -> WebPage:
    headers = [
        ("content-type", "text/html; charset=utf-8"),
        ("etag", f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'),
        ("cache-control", "no-cache"),
    ]

    answer = Response(200, body, headers, kept={})

    async def show(_request: PageRequest[Any, Any]) -> Response:
        return answer

    return WebPage(method="GET", path=path, handler=show, public=True)
