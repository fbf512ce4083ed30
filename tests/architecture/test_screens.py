"""Every page that people look at is a screen that axe looks at and that `make screenshots` shoots."""

import re

from tests.support.registered_pages import registered_pages
from tests.support.screens import SCREENS

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


def _pattern(path: str) -> str:
    return re.sub(r"\{\w+\}", "*", path.partition("?")[0])


def test_every_page_is_a_screen() -> None:
    screens = {_pattern(screen.path) for screen in SCREENS}
    pages = {_pattern(page.path) for page in registered_pages() if page.method == "GET"}
    missing = {
        page
        for page in pages - screens - _NO_SCREENS - _BY_LINK
        if not re.search(r"\.(csv|json)$|^/static/|^/docs/api/", page)
    }
    assert missing == set()
