import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

BUILT_IN = ["Administrator", "Manager", "Technician", "Reception", "Requester", "Viewer"]


def roles(organization: Organization) -> dict[str, dict]:
    return {
        role["name"]: role for role in data_of(organization.api.get(f"{organization.path}/roles?limit=100"))
    }


def is_invalid(answer: httpx.Response) -> bool:
    return (answer.status_code, answer.json()["error"]) == (422, "ValidationError")


def test_every_organization_has_the_six_built_in_roles(organization: Organization) -> None:
    found = roles(organization)
    assert sorted(found) == sorted(BUILT_IN)
    assert all(role["system"] for role in found.values())
    assert all(role["permissions"] for role in found.values())


def test_the_administrator_may_do_everything_and_nobody_else_does(organization: Organization) -> None:
    permissions = {name: set(role["permissions"]) for name, role in roles(organization).items()}
    everything = permissions.pop("Administrator")
    assert len(everything) == 35
    assert all(held < everything for held in permissions.values())
    assert all(permission.endswith(":read") for permission in permissions["Viewer"])
    assert [name for name, held in permissions.items() if "users:act-as" in held] == []
    assert permissions["Requester"] == {
        "work-orders:request",
        "bookings:book",
        "locations:read",
        "assets:read",
        "forms:submit",
    }


def test_a_role_is_made_read_listed_changed_and_deleted(organization: Organization) -> None:
    answer = organization.api.post(
        f"{organization.path}/roles",
        json={
            "name": "Night shift",
            "description": "At night",
            "permissions": ["work-orders:read", "forms:read"],
        },
    )
    assert answer.status_code == 201
    role = data_of(answer)
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
    assert location == f"{organization.path}/roles/{role['id']}"
    assert organization.api.get(location).json() == {"data": role}
    assert roles(organization)["Night shift"] == role

    changed = organization.api.patch(location, json={"name": "Day shift", "permissions": ["forms:read"]})
    assert changed.status_code == 200
    assert data_of(changed) | {"updated": 0} == role | {
        "name": "Day shift",
        "permissions": ["forms:read"],
        "updated": 0,
    }
    deleted = organization.api.delete(location)
    assert (deleted.status_code, deleted.json()) == (200, {"data": {"deleted": True}})
    assert organization.api.get(location).status_code == 404


@pytest.mark.parametrize("credential", ["key", "token", "idToken"])
def test_a_role_is_deleted_by_key_and_by_bearer_alike(organization: Organization, credential: str) -> None:
    caller = (
        organization.api
        if credential == "key"
        else organization.client(bearer=organization.log_in()[credential])
    )
    role = organization.created("roles", {"name": "Short-lived"})
    answer = caller.delete(f"{organization.path}/roles/{role['id']}")
    assert (answer.status_code, answer.json()) == (200, {"data": {"deleted": True}})


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_role_stays_as_it_is(shared_organization: Organization, name: str) -> None:
    role = roles(shared_organization)[name]
    path = f"{shared_organization.path}/roles/{role['id']}"
    for answer in (
        shared_organization.api.delete(path),
        shared_organization.api.patch(path, json={"permissions": []}),
    ):
        assert is_invalid(answer)
        assert name in answer.json()["message"]
        assert "built-in" in answer.json()["message"]
    assert roles(shared_organization)[name] == role


def test_a_role_in_use_cannot_be_deleted(organization: Organization) -> None:
    role = organization.created("roles", {"name": "Held", "permissions": ["forms:read"]})
    path = f"{organization.path}/roles/{role['id']}"
    user = organization.new_user(roleIds=[role["id"]])
    answer = organization.api.delete(path)
    assert is_invalid(answer)
    assert "Held" in answer.json()["message"]
    assert "assigned" in answer.json()["message"]
    organization.api.patch(f"{organization.path}/users/{user['id']}", json={"roleIds": []})
    assert organization.api.delete(path).status_code == 200


@pytest.mark.parametrize(("method", "body"), [("GET", None), ("PATCH", {"name": "X"}), ("DELETE", None)])
def test_an_unknown_role_is_not_found(
    shared_organization: Organization, method: str, body: dict | None
) -> None:
    answer = shared_organization.api.request(
        method, f"{shared_organization.path}/roles/rol_unknown", json=body
    )
    assert (answer.status_code, answer.json()["error"]) == (404, "NotFound")


def test_two_roles_of_one_name_are_a_conflict(shared_organization: Organization) -> None:
    assert (
        shared_organization.api.post(f"{shared_organization.path}/roles", json={"name": "viewer"}).status_code
        == 409
    )
    role = shared_organization.created("roles", {"name": "Night shift"})
    assert (
        shared_organization.api.patch(
            f"{shared_organization.path}/roles/{role['id']}", json={"name": "Manager"}
        ).status_code
        == 409
    )


def test_permissions_that_the_caller_lacks_cannot_be_put_into_a_role(organization: Organization) -> None:
    limited = organization.client(
        key=organization.new_key("roles:read", "roles:write", "forms:read")["secret"]
    )
    answer = limited.post(f"{organization.path}/roles", json={"name": "More", "permissions": ["users:write"]})
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")
    role = limited.post(
        f"{organization.path}/roles", json={"name": "Mine", "permissions": ["forms:read"]}
    ).json()
    path = f"{organization.path}/roles/{role['data']['id']}"
    assert limited.patch(path, json={"permissions": ["users:write"]}).status_code == 403
    assert data_of(organization.api.get(path))["permissions"] == ["forms:read"]


def test_a_changed_role_applies_to_the_next_request_of_its_users(organization: Organization) -> None:
    role = organization.created("roles", {"name": "Changing", "permissions": []})
    user = organization.new_user(roleIds=[role["id"]])
    caller = organization.client(bearer=organization.log_in(user["email"])["token"])
    for permissions, status in ((["work-orders:read"], 200), ([], 403)) * 3:
        organization.api.patch(f"{organization.path}/roles/{role['id']}", json={"permissions": permissions})
        assert caller.get(f"{organization.path}/work-orders").status_code == status


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
def test_a_role_that_cannot_be_made_names_the_field(
    shared_organization: Organization, body: dict, field: str
) -> None:
    answer = shared_organization.api.post(f"{shared_organization.path}/roles", json=body)
    assert is_invalid(answer)
    assert [detail["field"] for detail in answer.json()["details"]] == [field]
