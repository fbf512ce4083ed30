"""People: their places in organizations, the accounts behind them, and what one organization may do to them."""

from collections.abc import Callable

import httpx
import pytest
from tests.support.organizations import PASSWORD, Client, Organization
from tests.web.people import Person


def role_id(org: Organization, name: str) -> str:
    roles = org.api.get(f"{org.path}/roles?limit=100").json()["data"]
    return next(role["id"] for role in roles if role["name"] == name)


def try_to_log_in(org: Organization, email: str, password: str = PASSWORD) -> httpx.Response:
    body = {"account": email, "password": password}
    return Client(org.base_url).post("/authentications/tokens", json=body)


def user_path(org: Organization, user: dict) -> str:
    return f"{org.path}/users/{user['id']}"


def test_a_user_is_made_read_listed_changed_and_removed(org: Organization) -> None:
    body = {
        "email": f"Ada.{org.id}@example.com",
        "name": "Ada Byron",
        "password": PASSWORD,
        "roleIds": [role_id(org, "Viewer")],
    }
    answer = org.api.post(f"{org.path}/users", json=body)
    assert answer.status_code == 201
    user = answer.json()["data"]
    assert user == {
        "id": user["id"],
        "email": body["email"],
        "name": "Ada Byron",
        "status": "Active",
        "roleIds": body["roleIds"],
        "created": user["created"],
        "updated": user["created"],
    }
    assert user["id"].startswith("usr_")
    location = answer.headers["location"]
    assert location == user_path(org, user)
    assert org.api.get(location).json() == {"data": user}
    assert org.api.get(f"{org.path}/users").json()["data"][0] == user

    changed = org.api.patch(location, json={"name": "Ada Lovelace", "roleIds": []})
    assert changed.status_code == 200
    assert changed.json()["data"] | {"updated": 0} == user | {
        "name": "Ada Lovelace",
        "roleIds": [],
        "updated": 0,
    }
    deleted = org.api.delete(location)
    assert (deleted.status_code, deleted.json()) == (200, {"data": {"deleted": True}})
    assert org.api.get(location).status_code == 404
    assert try_to_log_in(org, body["email"]).status_code == 401


def test_no_answer_ever_holds_a_password(house: Organization) -> None:
    answer = house.api.get(f"{house.path}/users")
    assert "argon2" not in answer.text
    assert "password" not in answer.text.lower()


def test_people_log_in_whatever_the_case_of_their_address(house: Organization) -> None:
    assert try_to_log_in(house, house.email.upper()).status_code == 200


def test_a_new_password_replaces_the_old_one(org: Organization) -> None:
    user = org.new_user("Viewer")
    assert org.api.patch(user_path(org, user), json={"password": "another long password"}).status_code == 200
    assert try_to_log_in(org, user["email"]).status_code == 401
    assert try_to_log_in(org, user["email"], "another long password").status_code == 200


def test_a_new_address_replaces_the_old_one(org: Organization) -> None:
    user = org.new_user("Viewer")
    assert org.api.patch(user_path(org, user), json={"email": f"new-{user['email']}"}).status_code == 200
    assert try_to_log_in(org, user["email"]).status_code == 401
    assert try_to_log_in(org, f"new-{user['email']}").status_code == 200


def test_the_same_person_twice_is_a_conflict(org: Organization) -> None:
    user = org.new_user()
    body = {"email": user["email"].upper(), "name": "Again", "password": PASSWORD}
    answer = org.api.post(f"{org.path}/users", json=body)
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")


def test_an_address_of_another_account_is_a_conflict(org: Organization) -> None:
    one, other = org.new_user(), org.new_user()
    answer = org.api.patch(user_path(org, one), json={"email": other["email"]})
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")


class TestAnAccountInTwoOrganizations:
    @pytest.fixture
    def two(self, found: Callable[..., Organization]) -> tuple[Organization, Organization, dict, dict]:
        first, second = found(), found()
        email = f"both-{first.id}@example.com"
        person = Person(first.base_url)
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
        for org, other in ((first, second), (second, first)):
            caller = org.client(bearer=org.log_in(here["email"], organizationId=org.id)["token"])
            assert caller.get(f"{org.path}/work-orders").status_code == 200
            assert caller.get(f"{other.path}/work-orders").status_code == 403

    @pytest.mark.parametrize("body", [{"email": "mine@example.com"}, {"password": "mine, all mine"}])
    def test_is_not_taken_over_by_either(self, two: tuple, body: dict) -> None:
        first, second, here, there = two
        for org, user in ((first, here), (second, there)):
            answer = org.api.patch(user_path(org, user), json=body)
            assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")
        assert try_to_log_in(first, here["email"]).status_code == 200

    def test_can_be_renamed_suspended_and_removed_in_one_without_the_other(self, two: tuple) -> None:
        first, second, here, there = two
        in_second = second.client(bearer=second.log_in(here["email"], organizationId=second.id)["token"])
        changes = {"name": "New name", "status": "Suspended"}
        assert first.api.patch(user_path(first, here), json=changes).status_code == 200
        assert second.api.get(user_path(second, there)).json()["data"] == there
        assert in_second.get(f"{second.path}/work-orders").status_code == 200
        assert first.api.delete(user_path(first, here)).status_code == 200
        assert in_second.get(f"{second.path}/work-orders").status_code == 200
        assert try_to_log_in(first, here["email"]).status_code == 200


def test_suspension_acts_at_once_on_bearer_and_key(org: Organization) -> None:
    user = org.new_user("Administrator")
    bearer = org.client(bearer=org.log_in(user["email"])["token"])
    made = bearer.post(f"{org.path}/api-keys", json={"name": "Theirs"}).json()["data"]
    key = org.client(key=made["secret"])
    for status, expected in (("Suspended", (401, 403)), ("Active", (200, 200))) * 2:
        assert org.api.patch(user_path(org, user), json={"status": status}).status_code == 200
        statuses = tuple(caller.get(f"{org.path}/work-orders").status_code for caller in (bearer, key))
        assert statuses == expected


def test_a_suspended_user_cannot_log_in(org: Organization) -> None:
    user = org.new_user("Viewer")
    org.api.patch(user_path(org, user), json={"status": "Suspended"})
    assert try_to_log_in(org, user["email"]).status_code == 401


def test_removal_acts_at_once_on_bearer_and_key(org: Organization) -> None:
    user = org.new_user("Administrator")
    bearer = org.client(bearer=org.log_in(user["email"])["token"])
    made = bearer.post(f"{org.path}/api-keys", json={"name": "Theirs"}).json()["data"]
    key = org.client(key=made["secret"])
    assert key.get(f"{org.path}/work-orders").status_code == 200
    assert org.api.delete(user_path(org, user)).status_code == 200
    assert bearer.get(f"{org.path}/work-orders").status_code == 401
    assert key.get(f"{org.path}/work-orders").status_code in {401, 403}


def test_somebody_who_is_taken_back_can_work_at_once_and_what_was_before_is_over(org: Organization) -> None:
    user = org.new_user("Viewer")
    before = org.client(bearer=org.log_in(user["email"])["token"])
    org.api.delete(user_path(org, user))
    assert before.get(f"{org.path}/work-orders").status_code == 401
    org.new_user("Viewer", email=user["email"])
    now = org.client(bearer=org.log_in(user["email"])["token"])
    assert now.get(f"{org.path}/work-orders").status_code == 200
    assert before.get(f"{org.path}/work-orders").status_code == 401


@pytest.mark.parametrize("changes", [{"status": "Suspended"}, {"roleIds": []}, None])
def test_the_last_administrator_stays(house: Organization, changes: dict | None) -> None:
    path = f"{house.path}/users/{house.user_id}"
    answer = house.api.delete(path) if changes is None else house.api.patch(path, json=changes)
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")
    assert "Administrator" in answer.json()["message"]
    assert house.api.get(path).json()["data"]["status"] == "Active"


def test_an_administrator_may_go_once_there_is_another(org: Organization) -> None:
    org.new_user("Administrator")
    changes = {"roleIds": [role_id(org, "Viewer")]}
    assert org.api.patch(f"{org.path}/users/{org.user_id}", json=changes).status_code == 200


def test_roles_beyond_ones_own_cannot_be_handed_on(org: Organization) -> None:
    limited = org.client(key=org.new_key("users:read", "users:write", "roles:read")["secret"])
    body = {"email": f"x-{org.id}@example.com", "name": "X", "password": PASSWORD}
    administrator = [role_id(org, "Administrator")]
    answer = limited.post(f"{org.path}/users", json=body | {"roleIds": administrator})
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")
    user = org.new_user()
    assert limited.patch(user_path(org, user), json={"roleIds": administrator}).status_code == 403
    assert org.api.get(user_path(org, user)).json()["data"]["roleIds"] == []
    assert limited.post(f"{org.path}/users", json=body).status_code == 201


@pytest.mark.parametrize("changes", [{"password": "now it is my account"}, {"email": "mine-{}@example.com"}])
def test_nobody_takes_over_the_account_of_somebody_more_powerful(org: Organization, changes: dict) -> None:
    limited = org.client(key=org.new_key("users:read", "users:write")["secret"])
    changes = {name: value.format(org.id) for name, value in changes.items()}
    answer = limited.patch(f"{org.path}/users/{org.user_id}", json=changes)
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")


def test_a_user_whom_a_work_order_names_is_suspended_instead_of_removed(org: Organization) -> None:
    user = org.new_user("Technician")
    org.created("work-orders", {"title": "Leak", "assigneeId": user["id"]})
    answer = org.api.delete(user_path(org, user))
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")
    assert "work orders" in answer.json()["message"]
    assert org.api.patch(user_path(org, user), json={"status": "Suspended"}).status_code == 200


@pytest.mark.parametrize(("method", "body"), [("GET", None), ("PATCH", {"name": "X"}), ("DELETE", None)])
def test_an_unknown_user_is_not_found(house: Organization, method: str, body: dict | None) -> None:
    answer = house.api.request(method, f"{house.path}/users/usr_unknown", json=body)
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
def test_a_user_that_cannot_be_made_names_the_field(house: Organization, wrong: dict, field: str) -> None:
    answer = house.api.post(f"{house.path}/users", json={**GOOD, "email": f"{house.id}@example.com", **wrong})
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert [detail["field"] for detail in answer.json()["details"]] == [field]
