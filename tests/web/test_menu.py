"""The menu says where one is, also on pages that have no entry of their own."""

import re

import pytest
from tests.support.browser import BrowserClient


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("/app", "/app"),
        ("/app/work-orders/board", "/app/work-orders"),
        ("/app/alert-rules", "/app/alerts"),
        ("/app/asset-types/new", "/app/assets"),
        ("/app/api-keys", "/app/integrations"),
        ("/app/account", None),
    ],
)
def test_the_entry_of_a_page_is_marked(admin: BrowserClient, path: str, entry: str | None) -> None:
    menu = admin.sees(path).partition("<main")[0]
    marked = re.findall(r'<a href="([^"]+)" aria-current="page"', menu)
    assert set(marked) == ({entry} if entry else set())
