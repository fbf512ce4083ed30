"""Every page that people look at is a screen that axe looks at and that `make screenshots` shoots."""

import re

from tests.support.screens import SCREENS

from steward.kit.db.pool import Pool
from steward.kit.http.openapi.route import with_document
from steward.kit.security.encryption import Encryption
from steward.kit.web.page import WebPage
from steward.settings import Settings
from steward.tokens.signing import Signer, new_signing_key
from steward.web.rendering import renderer
from steward.web.static import StaticFiles
from steward.wiring.pages import all_pages
from steward.wiring.parts import assemble
from steward.wiring.routes import all_routes

# Parts of pages, streams and moves elsewhere.
_NO_SCREENS = {
    "",
    "/app/live",
    "/app/decks/*/cards",
    "/app/decks/wall",
    "/app/locations/branch",
    "/app/pick/*",
    "/app/alert-rules/keys",
    "/app/alert-rules/*/preview",
    "/app/users/*/reset-link",
    "/favicon.ico",
    "/favicon.svg",
    # Long lists of the same pieces as on the pages of the reference that are screens.
    "/docs/event-types",
    "/docs/schemas",
    # Listed one by one.
    "/app/reports/*",
}
# By a link with a secret; what they show has tests of its own.
_BY_LINK = {
    "/app/invitations/*",
    "/app/password-reset/*",
    "/tablet/*",
    "/screen/*",
    "/screen/*/live",
    "/screen/*/decks/*/cards",
}


def _pages() -> tuple[WebPage, ...]:
    url = "postgresql://"
    parts = assemble(Settings(), Encryption(bytes(32)), url, Pool(url, 1), Signer(new_signing_key()))
    static = StaticFiles()
    return all_pages(parts, with_document(all_routes(parts))[1], static, renderer(static.url))


def _pattern(path: str) -> str:
    return re.sub(r"\{\w+\}", "*", path.partition("?")[0])


def test_every_page_is_a_screen() -> None:
    screens = {_pattern(screen.path) for screen in SCREENS}
    pages = {_pattern(page.path) for page in _pages() if page.method == "GET"}
    missing = {
        page
        for page in pages - screens - _NO_SCREENS - _BY_LINK
        if not re.search(r"\.(csv|json)$|^/static/|^/docs/api/", page)
    }
    assert missing == set()
