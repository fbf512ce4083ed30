"""People: their places in organizations, the accounts behind them, and what one organization may do to them."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Client, Organization


def role_id(organization: Organization, name: str) -> str:
    roles = data_of(organization.api.get(f"{organization.path}/roles?limit=100"))
    return next(role["id"] for role in roles if role["name"] == name)


def try_to_log_in(organization: Organization, email: str, password: str = PASSWORD) -> httpx.Response:
    body = {"account": email, "password": password}
    return Client(organization.base_url).post("/authentications/tokens", json=body)


def user_path(organization: Organization, user: dict) -> str:
    return f"{organization.path}/users/{user['id']}"


def test_a_user_is_made_read_listed_changed_and_removed(organization: Organization) -> None:
    body: dict[str, Any] = {
        "email": f"Ada.{organization.id}@example.com",
        "name": "Ada Byron",
        "password": PASSWORD,
        "roleIds": [role_id(organization, "Viewer")],
    }
    answer = organization.api.post(f"{organization.path}/users", json=body)
    assert answer.status_code == 201
    user = data_of(answer)
    assert user == {
        "id": user["id"],
        "email": body["email"],
        "name": "Ada Byron",
        "status": "Active",
        "roleIds": body["roleIds"],
        "externalId": None,
        "metadata": {},
        "archivedAt": None,
        "erasedAt": None,
        "created": user["created"],
        "updated": user["created"],
    }
    assert user["id"].startswith("usr_")
    location = answer.headers["location"]
    assert location == user_path(organization, user)
    assert organization.api.get(location).json() == {"data": user}
    assert data_of(organization.api.get(f"{organization.path}/users"))[0] == user

    changed = organization.api.patch(location, json={"name": "Ada Lovelace", "roleIds": []})
    assert changed.status_code == 200
    assert data_of(changed) | {"updated": 0} == user | {
        "name": "Ada Lovelace",
        "roleIds": [],
        "updated": 0,
    }
    deleted = organization.api.delete(location)
    assert (deleted.status_code, deleted.json()) == (200, {"data": {"deleted": True}})
    assert organization.api.get(location).status_code == 404
    assert try_to_log_in(organization, body["email"]).status_code == 401


def test_no_answer_ever_holds_a_password(shared_organization: Organization) -> None:
    answer = shared_organization.api.get(f"{shared_organization.path}/users")
    assert "argon2" not in answer.text
    assert "password" not in answer.text.lower()


def test_people_log_in_whatever_the_case_of_their_address(shared_organization: Organization) -> None:
    assert try_to_log_in(shared_organization, shared_organization.email.upper()).status_code == 200


def test_a_new_password_replaces_the_old_one(organization: Organization) -> None:
    user = organization.new_user("Viewer")
    assert (
        organization.api.patch(
            user_path(organization, user), json={"password": "another long password"}
        ).status_code
        == 200
    )
    assert try_to_log_in(organization, user["email"]).status_code == 401
    assert try_to_log_in(organization, user["email"], "another long password").status_code == 200


def test_a_new_address_replaces_the_old_one(organization: Organization) -> None:
    user = organization.new_user("Viewer")
    assert (
        organization.api.patch(
            user_path(organization, user), json={"email": f"new-{user['email']}"}
        ).status_code
        == 200
    )
    assert try_to_log_in(organization, user["email"]).status_code == 401
    assert try_to_log_in(organization, f"new-{user['email']}").status_code == 200


def test_the_same_person_twice_is_a_conflict(organization: Organization) -> None:
    user = organization.new_user()
    body = {"email": user["email"].upper(), "name": "Again", "password": PASSWORD}
    answer = organization.api.post(f"{organization.path}/users", json=body)
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")


def test_an_address_of_another_account_is_a_conflict(organization: Organization) -> None:
    one, other = organization.new_user(), organization.new_user()
    answer = organization.api.patch(user_path(organization, one), json={"email": other["email"]})
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")


class TestAnAccountInTwoOrganizations:
    @pytest.fixture
    def two(
        self, new_organization: Callable[..., Organization]
    ) -> tuple[Organization, Organization, dict, dict]:
        first, second = new_organization(), new_organization()
        email = f"both-{first.id}@example.com"
        person = BrowserClient(first.base_url)
        person.joins(first.invite(email, "Viewer")["link"], PASSWORD)
        person.joins(second.invite(email, "Technician")["link"])
        return first, second, first.users()[email], second.users()[email]

    def test_is_a_user_with_a_name_and_roles_in_each(self, two: tuple) -> None:
        first, second, here, there = two
        assert there["id"] != here["id"]
        assert here["roleIds"] == [role_id(first, "Viewer")]
        assert there["roleIds"] == [role_id(second, "Technician")]

    def test_chooses_where_to_log_in(self, two: tuple) -> None:
        first, second, here, _ = two
        for organization, other in ((first, second), (second, first)):
            caller = organization.client(
                bearer=organization.log_in(here["email"], organizationId=organization.id)["token"]
            )
            assert caller.get(f"{organization.path}/work-orders").status_code == 200
            assert caller.get(f"{other.path}/work-orders").status_code == 403

    @pytest.mark.parametrize("body", [{"email": "mine@example.com"}, {"password": "mine, all mine"}])
    def test_neither_organization_can_change_a_shared_account(self, two: tuple, body: dict) -> None:
        first, second, here, there = two
        for organization, user in ((first, here), (second, there)):
            answer = organization.api.patch(user_path(organization, user), json=body)
            assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")
        assert try_to_log_in(first, here["email"]).status_code == 200

    def test_a_person_can_be_changed_in_one_organization_only(self, two: tuple) -> None:
        first, second, here, there = two
        in_second = second.client(bearer=second.log_in(here["email"], organizationId=second.id)["token"])
        changes = {"name": "New name", "status": "Suspended"}
        assert first.api.patch(user_path(first, here), json=changes).status_code == 200
        assert data_of(second.api.get(user_path(second, there))) == there
        assert in_second.get(f"{second.path}/work-orders").status_code == 200
        assert first.api.delete(user_path(first, here)).status_code == 200
        assert in_second.get(f"{second.path}/work-orders").status_code == 200
        assert try_to_log_in(first, here["email"]).status_code == 200


def test_suspension_acts_at_once_on_bearer_and_key(organization: Organization) -> None:
    user = organization.new_user("Administrator")
    bearer = organization.client(bearer=organization.log_in(user["email"])["token"])
    made = data_of(bearer.post(f"{organization.path}/api-keys", json={"name": "Theirs"}))
    key = organization.client(key=made["secret"])
    for status, expected in (("Suspended", (401, 403)), ("Active", (200, 200))) * 2:
        assert (
            organization.api.patch(user_path(organization, user), json={"status": status}).status_code == 200
        )
        statuses = tuple(
            caller.get(f"{organization.path}/work-orders").status_code for caller in (bearer, key)
        )
        assert statuses == expected


def test_a_suspended_user_cannot_log_in(organization: Organization) -> None:
    user = organization.new_user("Viewer")
    organization.api.patch(user_path(organization, user), json={"status": "Suspended"})
    assert try_to_log_in(organization, user["email"]).status_code == 401


def test_removal_acts_at_once_on_bearer_and_key(organization: Organization) -> None:
    user = organization.new_user("Administrator")
    bearer = organization.client(bearer=organization.log_in(user["email"])["token"])
    made = data_of(bearer.post(f"{organization.path}/api-keys", json={"name": "Theirs"}))
    key = organization.client(key=made["secret"])
    assert key.get(f"{organization.path}/work-orders").status_code == 200
    assert organization.api.delete(user_path(organization, user)).status_code == 200
    assert bearer.get(f"{organization.path}/work-orders").status_code == 401
    assert key.get(f"{organization.path}/work-orders").status_code in {401, 403}


def test_a_reinstated_user_can_work_at_once_with_new_sessions(
    organization: Organization,
) -> None:
    user = organization.new_user("Viewer")
    before = organization.client(bearer=organization.log_in(user["email"])["token"])
    organization.api.delete(user_path(organization, user))
    assert before.get(f"{organization.path}/work-orders").status_code == 401
    organization.new_user("Viewer", email=user["email"])
    now = organization.client(bearer=organization.log_in(user["email"])["token"])
    assert now.get(f"{organization.path}/work-orders").status_code == 200
    assert before.get(f"{organization.path}/work-orders").status_code == 401


@pytest.mark.parametrize("changes", [{"status": "Suspended"}, {"roleIds": []}, None])
def test_the_last_administrator_stays(shared_organization: Organization, changes: dict | None) -> None:
    path = f"{shared_organization.path}/users/{shared_organization.user_id}"
    answer = (
        shared_organization.api.delete(path)
        if changes is None
        else shared_organization.api.patch(path, json=changes)
    )
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")
    assert "Administrator" in answer.json()["message"]
    assert data_of(shared_organization.api.get(path))["status"] == "Active"


def test_an_administrator_can_leave_once_there_is_another(organization: Organization) -> None:
    organization.new_user("Administrator")
    changes = {"roleIds": [role_id(organization, "Viewer")]}
    assert (
        organization.api.patch(f"{organization.path}/users/{organization.user_id}", json=changes).status_code
        == 200
    )


def test_roles_beyond_ones_own_cannot_be_handed_on(organization: Organization) -> None:
    limited = organization.client(
        key=organization.new_key("users:read", "users:write", "roles:read")["secret"]
    )
    body = {"email": f"x-{organization.id}@example.com", "name": "X", "password": PASSWORD}
    administrator = [role_id(organization, "Administrator")]
    answer = limited.post(f"{organization.path}/users", json=body | {"roleIds": administrator})
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")
    user = organization.new_user()
    assert limited.patch(user_path(organization, user), json={"roleIds": administrator}).status_code == 403
    assert data_of(organization.api.get(user_path(organization, user)))["roleIds"] == []
    assert limited.post(f"{organization.path}/users", json=body).status_code == 201


@pytest.mark.parametrize("changes", [{"password": "now it is my account"}, {"email": "mine-{}@example.com"}])
def test_an_account_with_more_permissions_cannot_be_taken_over(
    organization: Organization, changes: dict
) -> None:
    limited = organization.client(key=organization.new_key("users:read", "users:write")["secret"])
    changes = {name: value.format(organization.id) for name, value in changes.items()}
    answer = limited.patch(f"{organization.path}/users/{organization.user_id}", json=changes)
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")


def test_a_user_whom_a_work_order_names_is_suspended_instead_of_removed(organization: Organization) -> None:
    user = organization.new_user("Technician")
    organization.created("work-orders", {"title": "Leak", "assigneeId": user["id"]})
    answer = organization.api.delete(user_path(organization, user))
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")
    assert "work orders" in answer.json()["message"]
    assert (
        organization.api.patch(user_path(organization, user), json={"status": "Suspended"}).status_code == 200
    )


@pytest.mark.parametrize(("method", "body"), [("GET", None), ("PATCH", {"name": "X"}), ("DELETE", None)])
def test_an_unknown_user_is_not_found(
    shared_organization: Organization, method: str, body: dict | None
) -> None:
    answer = shared_organization.api.request(
        method, f"{shared_organization.path}/users/usr_unknown", json=body
    )
    assert (answer.status_code, answer.json()["error"]) == (404, "NotFound")


GOOD = {"email": "x@example.com", "name": "X", "password": PASSWORD}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"email": "no address"}, "email"),
        ({"email": "a" * 250 + "@example.com"}, "email"),
        ({"name": ""}, "name"),
        ({"password": "short"}, "password"),
        ({"password": "x" * 201}, "password"),
        ({"roleIds": ["rol_unknown"]}, "roleIds"),
        ({"roleIds": "rol_unknown"}, "roleIds"),
        ({"status": "Active"}, "status"),
    ],
)
def test_a_user_that_cannot_be_made_names_the_field(
    shared_organization: Organization, wrong: dict, field: str
) -> None:
    answer = shared_organization.api.post(
        f"{shared_organization.path}/users",
        json={**GOOD, "email": f"{shared_organization.id}@example.com", **wrong},
    )
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert [detail["field"] for detail in answer.json()["details"]] == [field]


def test_an_archived_user_is_suspended_and_stays_so(organization: Organization) -> None:
    user = organization.new_user("Viewer")
    person = organization.client(bearer=organization.log_in(user["email"])["token"])
    browser = BrowserClient(organization.base_url)
    browser.log_in(user["email"])
    path = user_path(organization, user)
    assert person.get(f"{organization.path}/locations").status_code == 200
    archived = data_of(organization.api.post(f"{path}/archive"))
    assert (archived["status"], archived["roleIds"]) == ("Suspended", user["roleIds"])
    assert person.get(f"{organization.path}/locations").status_code == 401
    assert browser.get("/app/locations").status_code == 303
    assert try_to_log_in(organization, user["email"]).status_code == 401
    refused = organization.api.patch(path, json={"status": "Active"})
    assert (refused.status_code, refused.json()["message"]) == (
        409,
        "Somebody who is archived stays Suspended; restore them first.",
    )
    assert data_of(organization.api.patch(path, json={"name": "Ada"}))["archivedAt"] is not None
    told = organization.events(type="user.updated")[0]["data"]
    assert told["previousAttributes"] == {"status": "Active", "archivedAt": None}

    assert data_of(organization.api.post(f"{path}/restore"))["status"] == "Suspended"
    assert try_to_log_in(organization, user["email"]).status_code == 401
    assert organization.api.patch(path, json={"status": "Active"}).status_code == 200
    assert try_to_log_in(organization, user["email"]).status_code == 200


def test_not_everybody_can_be_archived(organization: Organization) -> None:
    last = f"{organization.path}/users/{organization.user_id}"
    assert organization.api.post(f"{last}/archive").json()["message"] == (
        "An organization needs at least one active user with the role Administrator."
    )
    organization.new_user("Administrator")
    lesser = organization.client(key=organization.new_key("users:read", "users:write")["secret"])
    refused = lesser.post(f"{last}/archive")
    assert refused.status_code == 403
    assert "with permissions that you lack" in refused.json()["message"]
    assert data_of(organization.api.get(last))["archivedAt"] is None
