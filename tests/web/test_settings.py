"""Organization, people, roles and the SLA policy, as an administrator sets them up."""

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Organization


def _checked(page: str, name: str) -> list[str]:
    return re.findall(rf'name="{name}" value="([^"]+)" checked', page)


def test_the_organization_is_renamed(organization: Organization, admin: BrowserClient) -> None:
    page = admin.sees("/app/settings")
    assert organization.id in page
    assert admin.post("/app/settings", data={"name": "House <of> cards"}).status_code == 303
    assert "House &lt;of&gt; cards" in admin.sees("/app/settings")
    answer = admin.post("/app/settings", data={"name": "  "})
    assert answer.status_code == 422
    assert 'id="name-error">Fill this in.' in answer.text
    assert "House &lt;of&gt; cards" in admin.sees("/app/settings")


def test_somebody_is_invited_and_comes_in(
    organization: Organization, admin: BrowserClient, new_browser: Callable[[], BrowserClient]
) -> None:
    (role,) = organization.role_ids("Technician")
    email = f"new-{organization.id}@example.com"
    data = {"name": "Ada <L>", "email": email, "roleIds": ["", role]}
    answer = admin.post("/app/settings/users", data=data)
    assert answer.status_code == 201
    assert "no-store" in answer.headers["cache-control"]
    assert "Ada &lt;L&gt; is invited" in answer.text
    link = html.unescape(re.search(r'id="link" readonly value="([^"]+)"', answer.text)[1])  # type: ignore[index]
    path = link.removeprefix(organization.base_url)
    page = admin.sees("/app/settings/users")
    assert "Pending invitations" in page
    assert email in page
    new = new_browser()
    new.joins(path, PASSWORD)
    assert "Hello, Ada &lt;L&gt;" in new.sees("/app")
    assert new.get(path).status_code in {404, 410}
    assert new.get("/app/settings/users").status_code in {200, 403}
    assert "Pending invitations" not in admin.sees("/app/settings/users")
    assert organization.users()[email]["roleIds"] == [role]


def test_an_invitation_is_withdrawn(
    organization: Organization, admin: BrowserClient, new_browser: Callable[[], BrowserClient]
) -> None:
    made = organization.invite("gone@example.com", "Viewer")
    withdraw = re.search(
        r'action="(/app/settings/users/invitations/[^"]+)"', admin.sees("/app/settings/users")
    )
    assert withdraw
    assert admin.post(withdraw[1]).status_code == 303
    assert "gone@example.com" not in admin.sees("/app/settings/users")
    assert new_browser().get(made["link"].removeprefix(organization.base_url)).status_code in {404, 410}
    assert admin.post(withdraw[1]).status_code == 404


@pytest.mark.parametrize(
    ("data", "field"),
    [({"name": "", "email": "a@example.com"}, "name"), ({"name": "Ada", "email": "nobody"}, "email")],
)
def test_an_invalid_invitation_is_reported(admin: BrowserClient, data: dict[str, str], field: str) -> None:
    answer = admin.post("/app/settings/users", data=data)
    assert answer.status_code == 422
    assert f'id="{field}-error"' in answer.text
    assert f'value="{data["email"]}"' in answer.text


def test_a_user_gets_roles_is_suspended_let_in_again_and_removed(
    organization: Organization,
    admin: BrowserClient,
    logged_in: Callable[[str], BrowserClient],
    new_browser: Callable[[], BrowserClient],
) -> None:
    user = organization.new_user("Viewer", name="Grace <H>")
    person = logged_in(user["email"])
    path = f"/app/settings/users/{user['id']}"
    page = admin.sees(path)
    assert "Grace &lt;H&gt;" in page
    assert _checked(page, "roleIds") == organization.role_ids("Viewer")
    roles = organization.role_ids("Technician")
    assert admin.post(path, data={"name": "Grace", "roleIds": ["", *roles]}).status_code == 303
    assert _checked(admin.sees(path), "roleIds") == roles
    assert person.get("/app/settings").status_code == 403
    assert admin.post(path, data={"name": "Grace", "roleIds": ""}).status_code == 303
    assert _checked(admin.sees(path), "roleIds") == []
    assert admin.post(path, data={"status": "Suspended"}).status_code == 303
    assert "Let in again" in admin.sees(path)
    assert new_browser().log_in(user["email"]).status_code == 401
    assert person.get("/app").status_code == 303
    assert admin.post(path, data={"status": "Active"}).status_code == 303
    assert organization.users()[user["email"]]["name"] == "Grace"
    logged_in(user["email"])
    answer = admin.post(f"{path}/delete")
    assert (answer.status_code, answer.headers["location"]) == (303, "/app/settings/users")
    assert user["email"] not in organization.users()
    assert admin.get(path).status_code == 404


def test_users_cannot_remove_their_own_access(organization: Organization, admin: BrowserClient) -> None:
    path = f"/app/settings/users/{organization.user_id}"
    page = admin.sees(path)
    for absent in ("Suspend<", "Remove …", "Reset password"):
        assert absent not in page
    for where, data in ((path, {"status": "Suspended"}), (path, {"roleIds": ""}), (f"{path}/delete", {})):
        answer = admin.post(where, data=data)
        assert answer.status_code in {403, 409, 422}, where
        assert 'role="alert"' in answer.text
    assert organization.users()[organization.email]["status"] == "Active"


def test_a_role_is_made_changed_and_deleted(organization: Organization, admin: BrowserClient) -> None:
    data: dict[str, Any] = {"name": "Night <shift>", "permissions": ["", "assets:read", "work-orders:read"]}
    answer = admin.post("/app/settings/roles", data=data)
    path = answer.headers["location"]
    page = admin.sees(path)
    assert "Night &lt;shift&gt;" in page
    assert sorted(_checked(page, "permissions")) == ["assets:read", "work-orders:read"]
    assert "Night &lt;shift&gt;" in admin.sees("/app/settings/roles")
    assert admin.post(path, data={**data, "permissions": ["", "assets:read"]}).status_code == 303
    assert _checked(admin.sees(path), "permissions") == ["assets:read"]
    answer = admin.post(path, data={**data, "permissions": ["", "everything"]})
    assert answer.status_code == 422
    user = organization.new_user(roleIds=[path.rpartition("/")[2]])
    assert "Delete …" not in admin.sees(path)
    answer = admin.post(f"{path}/delete")
    assert answer.status_code == 422
    assert "still assigned to 1 user" in answer.text
    assert admin.post(f"/app/settings/users/{user['id']}", data={"roleIds": ""}).status_code == 303
    assert admin.post(f"{path}/delete").headers["location"] == "/app/settings/roles"
    assert admin.get(path).status_code == 404


def test_built_in_roles_stay_as_they_are(organization: Organization, admin: BrowserClient) -> None:
    (role,) = organization.role_ids("Viewer")
    assert 'method="post"' not in admin.sees(f"/app/settings/roles/{role}").split("<main")[1]
    answer = admin.post(f"/app/settings/roles/{role}", data={"name": "Mine", "permissions": ""})
    assert answer.status_code == 422
    assert "built-in" in answer.text


def test_permissions_that_the_caller_lacks_cannot_be_granted(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    grants = ["roles:read", "roles:write", "assets:read"]
    own = organization.created("roles", {"name": "Role keeper", "permissions": grants})
    strong = organization.created("roles", {"name": "Strong", "permissions": ["assets:read", "users:write"]})
    keeper = logged_in(organization.new_user(roleIds=[own["id"]])["email"])
    page = keeper.sees("/app/settings/roles/new")
    assert 'value="assets:read"' in page
    assert 'value="users:write"' not in page
    answer = keeper.post("/app/settings/roles", data={"name": "x", "permissions": ["users:write"]})
    assert answer.status_code == 403
    # There is no form that could not do its work.
    assert 'method="post"' not in keeper.sees(f"/app/settings/roles/{strong['id']}").split("<main")[1]
    answer = keeper.post(
        f"/app/settings/roles/{strong['id']}", data={"name": "x", "permissions": ["assets:read"]}
    )
    assert answer.status_code == 403


_TARGETS = {
    f"targets.{priority}.{name}Minutes": minutes
    for priority, times in {
        "Critical": ("15", "120"),
        "High": ("30", "240"),
        "Medium": ("60", "480"),
        "Low": ("120", "960"),
    }.items()
    for name, minutes in zip(("response", "resolution"), times, strict=True)
}
_WEEKLY = {
    "mode": "weekly",
    "timezone": "Europe/Berlin",
    "hours.monday": "08:00-12:00, 13:00-17:00",
    "hours.saturday": "",
    "holidays": "2026-12-25\r\n2027-01-01",
}


def _policy(organization: Organization) -> dict[str, Any]:
    policy: dict[str, Any] = data_of(organization.api.get(f"{organization.path}/sla-policy"))
    return policy


def test_the_policy_is_changed_and_worked_out(organization: Organization, admin: BrowserClient) -> None:
    answer = admin.post("/app/settings/sla", data={**_TARGETS, **_WEEKLY})
    assert answer.status_code == 303, answer.text
    policy = _policy(organization)
    assert policy["targets"]["Critical"] == {"responseMinutes": 15, "resolutionMinutes": 120}
    calendar = policy["calendar"]
    assert (calendar["mode"], calendar["timezone"]) == ("weekly", "Europe/Berlin")
    assert calendar["monday"] == [{"from": "08:00", "to": "12:00"}, {"from": "13:00", "to": "17:00"}]
    assert calendar["saturday"] == []
    assert calendar["holidays"] == ["2026-12-25", "2027-01-01"]
    page = admin.sees("/app/settings/sla")
    assert 'value="08:00-12:00, 13:00-17:00"' in page
    assert "2026-12-25\n2027-01-01</textarea>" in page
    assert page.count("responded to by") == 4
    assert admin.post("/app/settings/sla", data={**_TARGETS, "mode": "24x7"}).status_code == 303
    assert _policy(organization)["calendar"]["mode"] == "24x7"


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"targets.High.responseMinutes": ""}, "targets.High.responseMinutes", "Fill this in."),
        ({"targets.High.responseMinutes": "0"}, "targets.High.responseMinutes", "at least 1"),
        ({"targets.Low.resolutionMinutes": "x"}, "targets.Low.resolutionMinutes", "Use a whole number."),
        (
            {"targets.Low.resolutionMinutes": "5"},
            "targets.Low.resolutionMinutes",
            "shorter than the time to respond",
        ),
        ({"hours.monday": "8-12"}, "hours.monday", "rite hours such as"),
        ({"hours.monday": "08:00-12:00, 11:00-13:00"}, "hours.monday", "overlap"),
        ({"hours.monday": "17:00-08:00"}, "hours.monday", "end before they begin"),
        ({"hours.monday": ""}, "mode", "s never open"),
        ({"timezone": "Mars/Olympus"}, "timezone", "s not a time zone"),
        ({"holidays": "Christmas"}, "holidays", "Christmas is not a day"),
        ({"mode": "sometimes"}, "mode", "Choose one of the values"),
    ],
)
def test_errors_of_a_policy_are_shown_at_their_fields(
    organization: Organization, admin: BrowserClient, change: dict[str, str], field: str, words: str
) -> None:
    before = _policy(organization)
    answer = admin.post("/app/settings/sla", data={**_TARGETS, **_WEEKLY, **change})
    assert answer.status_code == 422
    assert words in answer.text.split(f'id="{field}-error"')[1][:200]
    assert 'value="Europe/Berlin"' in answer.text or "timezone" in change
    assert _policy(organization) == before


def test_settings_need_their_permission(
    organization: Organization, other_organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    viewer = logged_in(organization.new_user("Viewer")["email"])
    for path in (
        "/app/settings",
        "/app/settings/users",
        f"/app/settings/users/{organization.user_id}",
        "/app/settings/roles",
        "/app/settings/sla",
    ):
        main = viewer.sees(path).split("<main")[1]
        for absent in (
            'method="post"',
            '<button class="button is-primary"',
            "Invite a person",
            "New role",
            "Suspend<",
            "/delete",
        ):
            assert absent not in main, path
    for path in ("/app/settings", "/app/settings/users", "/app/settings/roles", "/app/settings/sla"):
        assert viewer.post(path, data={"name": "x"}).status_code == 403
    technician = logged_in(organization.new_user("Technician")["email"])
    for path in ("/app/settings", "/app/settings/roles", "/app/settings/roles/new"):
        assert technician.get(path).status_code == 403
    admin = logged_in(organization.email)
    headers = {"Origin": "https://elsewhere.example"}
    assert admin.post("/app/settings", data={"name": "Forged"}, headers=headers).status_code == 403
    assert admin.get(f"/app/settings/users/{other_organization.user_id}").status_code == 404


def test_an_archived_person_is_erased_by_a_button(organization: Organization, admin: BrowserClient) -> None:
    user = organization.new_user("Viewer", name="Xanthippe Quux")
    path = f"/app/settings/users/{user['id']}"
    assert f'action="{path}/erase"' not in admin.sees(path)
    assert admin.post(f"{path}/erase").status_code == 409
    assert admin.post(f"{path}/archive").status_code == 303
    assert f'action="{path}/erase"' in admin.sees(path)
    assert admin.post(f"{path}/erase").status_code == 303
    page = admin.sees(path)
    assert "Erased person" in page
    assert "Xanthippe" not in page
    assert f'action="{path}/erase"' not in page
