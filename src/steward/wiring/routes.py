"""Everything that the API and the web app offer: what the slices bring, in the order of their list."""

from functools import cache
from operator import attrgetter

import jinja2

from steward.kit.db.pool import Pool
from steward.kit.http.openapi.answers import Json
from steward.kit.http.openapi.route import with_document
from steward.kit.http.route import Route
from steward.kit.security.encryption import Encryption
from steward.kit.web.page import Panel, WebPage
from steward.kit.web.slice import Parts, Site
from steward.settings import Settings
from steward.tokens.signing import new_signing_key
from steward.web import docs
from steward.web.static import StaticFiles
from steward.wiring.parts import assemble


def _sites(parts: Parts) -> tuple[Site, ...]:
    return tuple(one.site(parts) for one in parts.slices)


def all_routes(parts: Parts) -> tuple[Route, ...]:
    return tuple(route for site in parts.once(_sites) for route in site.routes)


def all_pages(
    parts: Parts, document: Json, static: StaticFiles, templates: jinja2.Environment
) -> tuple[WebPage, ...]:
    pages = [page for site in parts.once(_sites) for page in site.pages]
    return (*pages, *docs.pages(document, templates), *static.pages())


def all_panels(parts: Parts) -> tuple[Panel, ...]:
    """What slices show on the pages of records that others keep, in the order in which it stands there."""
    panels = [panel for site in parts.once(_sites) for panel in site.panels]
    return tuple(sorted(panels, key=attrgetter("place")))


@cache
def document_routes() -> tuple[Route, ...]:
    """The routes of the OpenAPI document, without a database."""
    url = "postgresql://"
    return all_routes(assemble(Settings(), Encryption(bytes(32)), url, Pool(url, 1), new_signing_key()))


@cache
def api_document() -> Json:
    """The OpenAPI document; not to be changed by its readers."""
    return with_document(document_routes())[1]
