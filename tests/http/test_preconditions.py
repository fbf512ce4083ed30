"""ETag, If-Match and If-None-Match."""

import itertools

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

_numbers = itertools.count(1)


@pytest.fixture
def role(shared_organization: Organization) -> httpx.Response:
    """A fresh role, as it is read."""
    made = shared_organization.created("roles", {"name": f"Night {next(_numbers)}"})
    return shared_organization.api.get(f"{shared_organization.path}/roles/{made['id']}")


def send(
    shared_organization: Organization, role: httpx.Response, method: str, **headers: str
) -> httpx.Response:
    json = {"description": "Changed"} if method == "PATCH" else None
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return shared_organization.api.request(method, role.request.url.path, json=json, headers=names)


def test_single_resources_carry_a_strong_etag(shared_organization: Organization) -> None:
    order = shared_organization.api.post(f"{shared_organization.path}/work-orders", json={"title": "Leak"})
    answers = [
        order,
        shared_organization.api.get(order.headers["location"]),
        shared_organization.api.get(shared_organization.path),
        shared_organization.api.get(f"{shared_organization.path}/users/{shared_organization.user_id}"),
        shared_organization.api.get(f"{shared_organization.path}/api-keys/{shared_organization.key_id}"),
    ]
    for answer in answers:
        tag = answer.headers["etag"]
        assert tag.startswith('"')
        assert tag.endswith('"')
        assert len(tag) > 2
    assert answers[0].headers["etag"] == answers[1].headers["etag"]


def test_an_etag_changes_only_with_its_resource(
    shared_organization: Organization, role: httpx.Response
) -> None:
    tag = role.headers["etag"]
    assert send(shared_organization, role, "GET").headers["etag"] == tag
    changed = send(shared_organization, role, "PATCH")
    assert changed.headers["etag"] != tag
    assert send(shared_organization, role, "GET").headers["etag"] == changed.headers["etag"]


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', '{}, "other"', "*"])
def test_known_etags_get_304(shared_organization: Organization, role: httpx.Response, form: str) -> None:
    tag = role.headers["etag"]
    answer = send(shared_organization, role, "GET", If_None_Match=form.format(tag))
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == tag


@pytest.mark.parametrize("form", ['"other"', '"a", "b"', "nonsense", ""])
def test_unknown_etags_get_a_full_answer(
    shared_organization: Organization, role: httpx.Response, form: str
) -> None:
    assert send(shared_organization, role, "GET", If_None_Match=form).json() == role.json()


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
@pytest.mark.parametrize("form", ["{}", '"other", {}', "*"])
def test_a_change_with_a_current_if_match_succeeds(
    shared_organization: Organization, role: httpx.Response, method: str, form: str
) -> None:
    assert (
        send(shared_organization, role, method, If_Match=form.format(role.headers["etag"])).status_code == 200
    )


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
@pytest.mark.parametrize("form", ['"other"', "W/{}", "nonsense", ""])
def test_a_change_with_a_stale_if_match_is_refused(
    shared_organization: Organization, role: httpx.Response, method: str, form: str
) -> None:
    answer = send(shared_organization, role, method, If_Match=form.format(role.headers["etag"]))
    assert (answer.status_code, answer.json()["error"]) == (412, "PreconditionFailed")
    assert send(shared_organization, role, "GET").json() == role.json()


def test_the_second_of_two_concurrent_edits_gets_a_conflict(
    shared_organization: Organization, role: httpx.Response
) -> None:
    tag = role.headers["etag"]
    assert send(shared_organization, role, "PATCH", If_Match=tag).status_code == 200
    assert send(shared_organization, role, "DELETE", If_Match=tag).status_code == 412


def test_organizations_users_and_keys_take_if_match_too(shared_organization: Organization) -> None:
    user = shared_organization.new_user()
    for method, path in (
        ("PATCH", shared_organization.path),
        ("PATCH", f"{shared_organization.path}/users/{user['id']}"),
        ("DELETE", f"{shared_organization.path}/users/{user['id']}"),
        ("DELETE", f"{shared_organization.path}/api-keys/{shared_organization.key_id}"),
    ):
        json = {"name": "New"} if method == "PATCH" else None
        assert (
            shared_organization.api.request(
                method, path, json=json, headers={"If-Match": '"stale"'}
            ).status_code
            == 412
        )


def test_a_key_in_use_can_be_revoked_with_the_etag_that_was_read(shared_organization: Organization) -> None:
    key = shared_organization.new_key()
    path = f"{shared_organization.path}/api-keys/{key['keyId']}"
    tag = shared_organization.api.get(path).headers["etag"]
    assert shared_organization.client(key=key["secret"]).get(shared_organization.path).status_code == 200
    assert data_of(shared_organization.api.get(path))["usage"]["totalCalls"] == 1
    assert shared_organization.api.delete(path, headers={"If-Match": tag}).status_code == 200


def test_nothing_matches_what_does_not_exist(shared_organization: Organization) -> None:
    answer = shared_organization.api.patch(
        f"{shared_organization.path}/roles/rol_x", json={}, headers={"If-Match": "*"}
    )
    assert answer.status_code == 404
