"""The API reference and its guides: rendered once, when somebody asks, and kept as bytes. Only a search is made for who asks."""

import asyncio
import hashlib
import threading
from functools import cached_property
from typing import Annotated, Any

import jinja2
import msgspec
from msgspec.structs import replace

from steward.kit.http.response import Response
from steward.kit.web.page import PageRequest, View, WebPage
from steward.tokens.model import MIGRATION_PAGE, REMOVAL
from steward.web import api_reference
from steward.web.api_reference import OperationGroup, SchemaReference
from steward.web.docs_search import EVENTS_PAGE, MAX_RESULTS, SCHEMAS_PAGE, SearchEntry, entries, search
from steward.web.operations import EventReference
from steward.web.rendering import page_bytes
from steward.web.schemas import Json

REFERENCE_PAGE = "/docs"
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


class DocsPage(msgspec.Struct, frozen=True, kw_only=True):
    """What is on all pages, and below it what only one of them shows."""

    path: str
    topics: tuple[tuple[str, str], ...] = TOPICS
    groups: list[OperationGroup]
    events: list[EventReference]
    schemas: list[SchemaReference]
    # The group that the page is of.
    here: OperationGroup | None = None
    info: Json = {}
    removal: str = REMOVAL.strftime("%-d %B %Y")
    q: str = ""
    found: list[SearchEntry] = []
    count: int = 0


class _Reference:
    """The pages, each made when somebody first asks for it: a process that starts has other things to do."""

    def __init__(self, document: Json, templates: jinja2.Environment) -> None:
        self.made: dict[str, Response] = {}
        self._document = document
        self._templates = templates
        # Pages are made beside the event loop, and what they share is read once.
        self._lock = threading.Lock()

    @cached_property
    def shared(self) -> DocsPage:
        return DocsPage(
            path=SEARCH_PAGE,
            groups=api_reference.groups(self._document),
            events=api_reference.events(self._document),
            schemas=api_reference.schemas(self._document),
            info=self._document["info"],
        )

    @cached_property
    def index(self) -> list[SearchEntry]:
        return entries(self.shared.groups, self.shared.events, self.shared.schemas, TOPICS)

    def search(self, q: str) -> DocsPage:
        with self._lock:
            found = search(self.index, q)
            return replace(self.shared, q=q, found=found[:MAX_RESULTS], count=len(found))

    def make(self, path: str, template: str) -> Response:
        with self._lock:
            if path not in self.made:
                here = next((group for group in self.shared.groups if group.path == path), None)
                shown = replace(self.shared, path=path, here=here)
                self.made[path] = _document(page_bytes(self._templates, template, shown))
            return self.made[path]


def pages(document: Json, templates: jinja2.Environment) -> tuple[WebPage, ...]:
    reference = _Reference(document, templates)

    async def find(request: PageRequest[Any, DocsQuery]) -> View:
        page: DocsPage = await asyncio.to_thread(reference.search, request.query.q)
        return View("web/docs_search.html", page)

    def kept(path: str, template: str) -> WebPage:
        async def show(_request: PageRequest[Any, Any]) -> Response:
            if path in reference.made:
                return reference.made[path]
            return await asyncio.to_thread(reference.make, path, template)

        return WebPage("GET", path, show, public=True)

    return (
        kept(REFERENCE_PAGE, "web/docs_start.html"),
        *(kept(path, "web/docs_group.html") for path in api_reference.group_paths(document)),
        kept(EVENTS_PAGE, "web/docs_events.html"),
        kept(SCHEMAS_PAGE, "web/docs_schemas.html"),
        kept(MIGRATION_PAGE, "web/docs_api_keys.html"),
        WebPage("GET", SEARCH_PAGE, find, public=True, query=DocsQuery),
    )


def _document(body: bytes) -> Response:
    headers = [
        ("content-type", "text/html; charset=utf-8"),
        ("etag", f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'),
        ("cache-control", "no-cache"),
    ]
    return Response(200, body, headers, kept={})
