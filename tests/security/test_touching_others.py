"""Users with more permissions than the caller can't be changed, whatever the permission is called."""

from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import PASSWORD, Client, Organization


@pytest.fixture
def helpdesk(organization: Organization) -> Client:
    """Somebody who manages users, and may do little else."""
    role = organization.created("roles", {"name": "Helpdesk", "permissions": ["users:read", "users:write"]})
    return organization.client(
        bearer=organization.log_in(organization.new_user(roleIds=[role["id"]])["email"])["token"]
    )


def is_forbidden(answer: Any) -> bool:
    return (answer.status_code, answer.json()["error"]) == (403, "Forbidden")


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "Suspended"},
        {"roleIds": []},
        {"name": "Somebody else"},
        {"email": "mine@example.com"},
        {"password": "now it is my account"},
        None,
    ],
    ids=lambda changes: next(iter(changes)) if changes else "delete",
)
@pytest.mark.parametrize("credential", ["person", "key"])
def test_users_with_more_permissions_cannot_be_changed(
    organization: Organization, helpdesk: Client, credential: str, changes: dict | None
) -> None:
    caller = (
        helpdesk
        if credential == "person"
        else organization.client(key=organization.new_key("users:write")["secret"])
    )
    other = organization.new_user("Administrator")
    path = f"{organization.path}/users/{other['id']}"
    answer = caller.delete(path) if changes is None else caller.patch(path, json=changes)
    assert is_forbidden(answer)
    assert "permissions that you lack" in answer.json()["message"]
    assert data_of(organization.api.get(path)) == other


@pytest.mark.parametrize("changes", [{"status": "Active"}, {"name": "New"}, None])
def test_suspended_users_with_more_permissions_cannot_be_changed(
    organization: Organization, helpdesk: Client, changes: dict | None
) -> None:
    path = f"{organization.path}/users/{organization.new_user('Administrator')['id']}"
    organization.api.patch(path, json={"status": "Suspended"}).raise_for_status()
    answer = helpdesk.delete(path) if changes is None else helpdesk.patch(path, json=changes)
    assert is_forbidden(answer)


def test_users_with_no_more_permissions_can_be_changed(organization: Organization, helpdesk: Client) -> None:
    user = organization.new_user()
    path = f"{organization.path}/users/{user['id']}"
    for changes in ({"status": "Suspended"}, {"name": "New name"}, {"password": PASSWORD + "!"}):
        assert helpdesk.patch(path, json=changes).status_code == 200
    assert helpdesk.delete(path).status_code == 200


def test_roles_beyond_ones_own_are_neither_given_nor_taken(
    organization: Organization, helpdesk: Client
) -> None:
    (viewer,) = organization.role_ids("Viewer")
    user = organization.new_user()
    path = f"{organization.path}/users/{user['id']}"
    assert is_forbidden(helpdesk.patch(path, json={"roleIds": [viewer]}))
    organization.api.patch(path, json={"roleIds": [viewer]}).raise_for_status()
    assert is_forbidden(helpdesk.patch(path, json={"roleIds": []}))
    assert data_of(organization.api.get(path))["roleIds"] == [viewer]


def test_an_invitation_gives_no_more_than_the_inviter_has(
    organization: Organization, helpdesk: Client
) -> None:
    path = f"{organization.path}/users/invitations"
    body = {
        "email": f"new-{organization.id}@example.com",
        "name": "New",
        "roleIds": organization.role_ids("Viewer"),
    }
    assert is_forbidden(helpdesk.post(path, json=body))
    assert helpdesk.post(path, json={**body, "roleIds": []}).status_code == 201
    more = organization.invite(f"more-{organization.id}@example.com", "Administrator")
    assert is_forbidden(helpdesk.delete(f"{path}/{more['id']}"))
    # To invite the same person again would be to withdraw it.
    assert is_forbidden(helpdesk.post(path, json={"email": more["email"], "name": "Less"}))


@pytest.mark.parametrize(
    "changes",
    [
        {"permissions": []},
        {"permissions": ["roles:read", "roles:write", "forms:read", "users:write"]},
        {"permissions": ["forms:read", "users:write"]},
        {"name": "Renamed"},
        None,
    ],
)
def test_a_role_with_more_permissions_cannot_be_changed(
    organization: Organization, changes: dict | None
) -> None:
    role = organization.created("roles", {"name": "Wardens", "permissions": ["forms:read", "users:write"]})
    limited = organization.client(
        key=organization.new_key("roles:read", "roles:write", "forms:read")["secret"]
    )
    path = f"{organization.path}/roles/{role['id']}"
    answer = limited.delete(path) if changes is None else limited.patch(path, json=changes)
    assert is_forbidden(answer)
    assert "users:write" in answer.json()["message"]
    assert data_of(organization.api.get(path)) == role


def test_a_role_with_no_more_permissions_can_be_changed(organization: Organization) -> None:
    role = organization.created("roles", {"name": "Readers", "permissions": ["forms:read"]})
    limited = organization.client(
        key=organization.new_key("roles:read", "roles:write", "forms:read")["secret"]
    )
    path = f"{organization.path}/roles/{role['id']}"
    assert limited.patch(path, json={"permissions": []}).status_code == 200
    assert limited.patch(path, json={"permissions": ["forms:read"]}).status_code == 200
    assert limited.delete(path).status_code == 200
