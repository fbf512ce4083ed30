"""The menu says where one is, also on pages that have no entry of their own."""

import re
from collections.abc import Callable

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization


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


def test_another_role_is_another_menu_with_the_next_page(
    organization: Organization, admin: BrowserClient, logged_in: Callable[[str], BrowserClient]
) -> None:
    user = organization.new_user("Technician")
    person = logged_in(user["email"])

    def entries() -> list[str]:
        return re.findall(
            r'<a href="(/app[^"]*)"',
            person.sees("/app").partition('<nav class="menu"')[2].partition("</nav>")[0],
        )

    before = entries()
    changed = {"name": "Grace Hopper", "roleIds": ["", *organization.role_ids("Reception")]}
    assert admin.post(f"/app/settings/users/{user['id']}", data=changed).status_code == 303
    assert entries() != before
    assert "Hello, Grace Hopper" in person.sees("/app")
