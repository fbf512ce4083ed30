"""The API reference and its guides: rendered once, kept as bytes."""

import hashlib
from typing import Any

import jinja2

from steward.kit.http.response import Response
from steward.kit.http.web_page import PageRequest, WebPage
from steward.tokens.model import MIGRATION_PAGE, REMOVAL
from steward.web import api_reference
from steward.web.rendering import page_bytes
from steward.web.schemas import Json

REFERENCE_PAGE = "/docs"


def pages(document: Json, templates: jinja2.Environment) -> tuple[WebPage, ...]:
    return (
        _document(
            REFERENCE_PAGE,
            templates,
            "web/docs_reference.html",
            info=document["info"],
            groups=api_reference.groups(document),
            events=api_reference.events(document),
        ),
        _document(MIGRATION_PAGE, templates, "web/docs_api_keys.html", removal=REMOVAL.strftime("%-d %B %Y")),
    )


def _document(path: str, templates: jinja2.Environment, template: str, **values: Any) -> WebPage:
    body = page_bytes(templates, template, {"path": path, **values})
    headers = [
        ("content-type", "text/html; charset=utf-8"),
        ("etag", f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'),
        ("cache-control", "no-cache"),
    ]

    async def show(_request: PageRequest[Any, Any]) -> Response:
        return Response(200, body, headers)

    return WebPage(method="GET", path=path, handler=show, public=True)
