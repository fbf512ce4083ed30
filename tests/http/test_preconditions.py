"""ETag, If-Match and If-None-Match."""

import itertools

import httpx
import pytest
from tests.support.organizations import Organization

_numbers = itertools.count(1)


@pytest.fixture
def role(house: Organization) -> httpx.Response:
    """A fresh role, as it is read."""
    made = house.created("roles", {"name": f"Night {next(_numbers)}"})
    return house.api.get(f"{house.path}/roles/{made['id']}")


def send(house: Organization, role: httpx.Response, method: str, **headers: str) -> httpx.Response:
    json = {"description": "Changed"} if method == "PATCH" else None
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return house.api.request(method, role.request.url.path, json=json, headers=names)


def test_single_resources_carry_a_strong_etag(house: Organization) -> None:
    order = house.api.post(f"{house.path}/work-orders", json={"title": "Leak"})
    answers = [
        order,
        house.api.get(order.headers["location"]),
        house.api.get(house.path),
        house.api.get(f"{house.path}/users/{house.user_id}"),
        house.api.get(f"{house.path}/api-keys/{house.key_id}"),
    ]
    for answer in answers:
        tag = answer.headers["etag"]
        assert tag.startswith('"')
        assert tag.endswith('"')
        assert len(tag) > 2
    assert answers[0].headers["etag"] == answers[1].headers["etag"]


def test_an_etag_changes_with_the_resource_and_not_without(house: Organization, role: httpx.Response) -> None:
    tag = role.headers["etag"]
    assert send(house, role, "GET").headers["etag"] == tag
    changed = send(house, role, "PATCH")
    assert changed.headers["etag"] != tag
    assert send(house, role, "GET").headers["etag"] == changed.headers["etag"]


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', '{}, "other"', "*"])
def test_what_the_caller_knows_is_not_sent_again(
    house: Organization, role: httpx.Response, form: str
) -> None:
    tag = role.headers["etag"]
    answer = send(house, role, "GET", If_None_Match=form.format(tag))
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == tag


@pytest.mark.parametrize("form", ['"other"', '"a", "b"', "nonsense", ""])
def test_what_the_caller_does_not_know_is_sent(house: Organization, role: httpx.Response, form: str) -> None:
    assert send(house, role, "GET", If_None_Match=form).json() == role.json()


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
@pytest.mark.parametrize("form", ["{}", '"other", {}', "*"])
def test_a_change_goes_through_while_if_match_fits(
    house: Organization, role: httpx.Response, method: str, form: str
) -> None:
    assert send(house, role, method, If_Match=form.format(role.headers["etag"])).status_code == 200


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
@pytest.mark.parametrize("form", ['"other"', "W/{}", "nonsense", ""])
def test_a_change_does_not_go_through_where_it_does_not_fit(
    house: Organization, role: httpx.Response, method: str, form: str
) -> None:
    answer = send(house, role, method, If_Match=form.format(role.headers["etag"]))
    assert (answer.status_code, answer.json()["error"]) == (412, "PreconditionFailed")
    assert send(house, role, "GET").json() == role.json()


def test_of_two_who_saw_the_same_the_second_is_told(house: Organization, role: httpx.Response) -> None:
    tag = role.headers["etag"]
    assert send(house, role, "PATCH", If_Match=tag).status_code == 200
    assert send(house, role, "DELETE", If_Match=tag).status_code == 412


def test_organizations_users_and_keys_take_if_match_too(house: Organization) -> None:
    user = house.new_user()
    for method, path in (
        ("PATCH", house.path),
        ("PATCH", f"{house.path}/users/{user['id']}"),
        ("DELETE", f"{house.path}/users/{user['id']}"),
        ("DELETE", f"{house.path}/api-keys/{house.key_id}"),
    ):
        json = {"name": "New"} if method == "PATCH" else None
        assert house.api.request(method, path, json=json, headers={"If-Match": '"stale"'}).status_code == 412


def test_a_key_in_use_can_be_revoked_with_the_etag_that_was_read(house: Organization) -> None:
    key = house.new_key()
    path = f"{house.path}/api-keys/{key['keyId']}"
    tag = house.api.get(path).headers["etag"]
    assert house.client(key=key["secret"]).get(house.path).status_code == 200
    assert house.api.get(path).json()["data"]["usage"]["totalCalls"] == 1
    assert house.api.delete(path, headers={"If-Match": tag}).status_code == 200


def test_nothing_matches_what_does_not_exist(house: Organization) -> None:
    answer = house.api.patch(f"{house.path}/roles/rol_x", json={}, headers={"If-Match": "*"})
    assert answer.status_code == 404
