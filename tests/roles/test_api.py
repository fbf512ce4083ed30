import httpx
import pytest
from tests.support.organizations import Organization

BUILT_IN = ["Administrator", "Manager", "Technician", "Reception", "Requester", "Viewer"]


def roles(org: Organization) -> dict[str, dict]:
    return {role["name"]: role for role in org.api.get(f"{org.path}/roles?limit=100").json()["data"]}


def is_invalid(answer: httpx.Response) -> bool:
    return (answer.status_code, answer.json()["error"]) == (422, "ValidationError")


def test_every_organization_has_the_six_built_in_roles(house: Organization) -> None:
    found = roles(house)
    assert sorted(found) == sorted(BUILT_IN)
    assert all(role["system"] for role in found.values())
    assert all(role["permissions"] for role in found.values())


def test_the_administrator_may_do_everything_and_nobody_else_does(house: Organization) -> None:
    permissions = {name: set(role["permissions"]) for name, role in roles(house).items()}
    everything = permissions.pop("Administrator")
    assert len(everything) == 31
    assert all(held < everything for held in permissions.values())
    assert all(permission.endswith(":read") for permission in permissions["Viewer"])


def test_a_role_is_made_read_listed_changed_and_deleted(org: Organization) -> None:
    answer = org.api.post(
        f"{org.path}/roles",
        json={
            "name": "Night shift",
            "description": "At night",
            "permissions": ["work-orders:read", "forms:read"],
        },
    )
    assert answer.status_code == 201
    role = answer.json()["data"]
    assert role == {
        "id": role["id"],
        "name": "Night shift",
        "description": "At night",
        "permissions": ["forms:read", "work-orders:read"],
        "system": False,
        "created": role["created"],
        "updated": role["created"],
    }
    assert role["id"].startswith("rol_")
    location = answer.headers["location"]
    assert location == f"{org.path}/roles/{role['id']}"
    assert org.api.get(location).json() == {"data": role}
    assert roles(org)["Night shift"] == role

    changed = org.api.patch(location, json={"name": "Day shift", "permissions": ["forms:read"]})
    assert changed.status_code == 200
    assert changed.json()["data"] | {"updated": 0} == role | {
        "name": "Day shift",
        "permissions": ["forms:read"],
        "updated": 0,
    }
    deleted = org.api.delete(location)
    assert (deleted.status_code, deleted.json()) == (200, {"data": {"deleted": True}})
    assert org.api.get(location).status_code == 404


@pytest.mark.parametrize("credential", ["key", "token", "idToken"])
def test_a_role_is_deleted_by_key_and_by_bearer_alike(org: Organization, credential: str) -> None:
    caller = org.api if credential == "key" else org.client(bearer=org.log_in()[credential])
    role = org.created("roles", {"name": "Short-lived"})
    answer = caller.delete(f"{org.path}/roles/{role['id']}")
    assert (answer.status_code, answer.json()) == (200, {"data": {"deleted": True}})


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_role_stays_as_it_is(house: Organization, name: str) -> None:
    role = roles(house)[name]
    path = f"{house.path}/roles/{role['id']}"
    for answer in (house.api.delete(path), house.api.patch(path, json={"permissions": []})):
        assert is_invalid(answer)
        assert name in answer.json()["message"]
        assert "built-in" in answer.json()["message"]
    assert roles(house)[name] == role


def test_a_role_that_somebody_holds_is_not_deleted_until_nobody_does(org: Organization) -> None:
    role = org.created("roles", {"name": "Held", "permissions": ["forms:read"]})
    path = f"{org.path}/roles/{role['id']}"
    user = org.new_user(roleIds=[role["id"]])
    answer = org.api.delete(path)
    assert is_invalid(answer)
    assert "Held" in answer.json()["message"]
    assert "assigned" in answer.json()["message"]
    org.api.patch(f"{org.path}/users/{user['id']}", json={"roleIds": []})
    assert org.api.delete(path).status_code == 200


@pytest.mark.parametrize(("method", "body"), [("GET", None), ("PATCH", {"name": "X"}), ("DELETE", None)])
def test_an_unknown_role_is_not_found(house: Organization, method: str, body: dict | None) -> None:
    answer = house.api.request(method, f"{house.path}/roles/rol_unknown", json=body)
    assert (answer.status_code, answer.json()["error"]) == (404, "NotFound")


def test_two_roles_of_one_name_are_a_conflict(house: Organization) -> None:
    assert house.api.post(f"{house.path}/roles", json={"name": "viewer"}).status_code == 409
    role = house.created("roles", {"name": "Night shift"})
    assert house.api.patch(f"{house.path}/roles/{role['id']}", json={"name": "Manager"}).status_code == 409


def test_nobody_puts_permissions_into_a_role_that_they_lack(org: Organization) -> None:
    limited = org.client(key=org.new_key("roles:read", "roles:write", "forms:read")["secret"])
    answer = limited.post(f"{org.path}/roles", json={"name": "More", "permissions": ["users:write"]})
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")
    role = limited.post(f"{org.path}/roles", json={"name": "Mine", "permissions": ["forms:read"]}).json()
    path = f"{org.path}/roles/{role['data']['id']}"
    assert limited.patch(path, json={"permissions": ["users:write"]}).status_code == 403
    assert org.api.get(path).json()["data"]["permissions"] == ["forms:read"]


def test_a_changed_role_acts_on_the_next_request_of_its_holders(org: Organization) -> None:
    role = org.created("roles", {"name": "Changing", "permissions": []})
    user = org.new_user(roleIds=[role["id"]])
    caller = org.client(bearer=org.log_in(user["email"])["token"])
    for permissions, status in ((["work-orders:read"], 200), ([], 403)) * 3:
        org.api.patch(f"{org.path}/roles/{role['id']}", json={"permissions": permissions})
        assert caller.get(f"{org.path}/work-orders").status_code == status


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "X", "permissions": ["fly"]}, "permissions[0]"),
        ({"name": "X", "permissions": None}, "permissions"),
        ({"name": "X", "description": 5}, "description"),
        ({"name": "X", "system": True}, "system"),
    ],
)
def test_a_role_that_cannot_be_made_names_the_field(house: Organization, body: dict, field: str) -> None:
    answer = house.api.post(f"{house.path}/roles", json=body)
    assert is_invalid(answer)
    assert [detail["field"] for detail in answer.json()["details"]] == [field]
