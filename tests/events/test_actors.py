"""Events say who caused them."""

import csv
import json
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

ACTORS: dict[str, Any] = {"include": "actor", "limit": 100}


def _actors(organization: Organization, client: httpx.Client | None = None, **query: Any) -> list[Any]:
    answer = (client or organization.api).get(
        f"/v2{organization.path}/events", params={**ACTORS, "order": "asc", **query}
    )
    assert answer.status_code == 200, answer.text
    return [event["actor"] for event in data_of(answer)]


def test_keys_and_people_are_distinguished(organization: Organization) -> None:
    organization.created("work-orders", {"title": "By key"})
    token = organization.client(bearer=organization.log_in()["token"])
    assert token.post(f"{organization.path}/work-orders", json={"title": "By token"}).status_code == 201
    browser = BrowserClient(organization.base_url)
    browser.log_in(organization.email)
    assert browser.post("/app/work-orders", data={"title": "By hand"}).status_code == 303
    user = {"type": "User", "id": organization.user_id}
    assert _actors(organization) == [{"type": "Key", "id": organization.key_id}, user, user]


@pytest.mark.parametrize(
    "way", [{"order": "asc"}, {"order": "desc"}, {"type": "workorder.*", "order": "asc"}]
)
def test_the_actor_is_appended_to_an_unchanged_body(organization: Organization, way: dict[str, str]) -> None:
    organization.created("work-orders", {"title": "Drip"})
    path = f"/v2{organization.path}/events"
    [plain] = data_of(organization.api.get(path, params=way))
    [told] = data_of(organization.api.get(path, params={**ACTORS, **way}))
    actor = {"type": "Key", "id": organization.key_id}
    assert "actor" not in plain
    assert told == {**plain, "actor": actor}
    assert data_of(organization.api.get(f"{path}/{plain['id']}")) == plain
    assert data_of(organization.api.get(f"{path}/{plain['id']}", params={"include": "actor"})) == told


def test_exports_have_the_actor_where_it_is_asked_for(organization: Organization) -> None:
    organization.created("work-orders", {"title": "Drip"})
    path, actors = f"/v2{organization.path}/events", {"include": "actor"}
    actor = {"type": "Key", "id": organization.key_id}
    [plain] = organization.api.get(f"{path}.ndjson").text.splitlines()
    [told] = organization.api.get(f"{path}.ndjson", params=actors).text.splitlines()
    assert json.loads(told) == {**json.loads(plain), "actor": actor}
    [row] = csv.DictReader(organization.api.get(f"{path}.csv", params=actors).text.splitlines())
    assert json.loads(row["actor"]) == actor
    assert "actor" not in organization.api.get(f"{path}.csv").text.splitlines()[0].split(",")


def test_include_is_no_part_of_the_cursor(organization: Organization) -> None:
    organization.created("work-orders", {"title": "One"})
    organization.created("work-orders", {"title": "Two"})
    path = f"/v2{organization.path}/events"
    for order, cursor in (("asc", "after"), ("desc", "lastEvaluatedKey")):
        first = organization.api.get(path, params={"order": order, "limit": 1}).json()
        following = {"order": order, "limit": 1, cursor: first["lastEvaluatedKey"], "include": "actor"}
        [event] = data_of(organization.api.get(path, params=following))
        assert event["actor"]["type"] == "Key"


def test_another_part_is_refused(organization: Organization) -> None:
    answer = organization.api.get(f"/v2{organization.path}/events", params={"include": "secrets"})
    assert answer.status_code == 422


def test_readings_cannot_be_set_through_the_asset(organization: Organization) -> None:
    organization.webhooks.create("asset.telemetry.updated")
    asset = organization.assets.create()["id"]
    path = f"{organization.path}/assets/{asset}/telemetry"
    assert organization.api.post(path, json={"values": {"Temperature": 20}}).status_code == 200
    assert _actors(organization, type="asset.telemetry.updated") == [{"type": "Device", "id": asset}]


def test_accepting_an_invitation_is_the_users_own_action(organization: Organization) -> None:
    invited = organization.invite("joins-by-herself@example.com", "Viewer")
    browser = BrowserClient(organization.base_url)
    sent = {"newPassword": "another correct horse battery", "repeated": "another correct horse battery"}
    answer = browser.post(invited["link"].partition(organization.base_url)[2], data=sent)
    assert answer.status_code in {200, 303}, answer.text
    user = organization.users()["joins-by-herself@example.com"]
    assert _actors(organization, type="user.created") == [{"type": "User", "id": user["id"]}]


def test_events_from_before_have_no_actor(organization: Organization) -> None:
    organization.created("work-orders", {"title": "Old"})
    organization.sql("UPDATE events SET actor = NULL WHERE organization_id = $1", organization.id)
    assert _actors(organization) == [None]
    assert _actors(organization, order="desc") == [None]


def test_history_shows_the_actor(organization: Organization) -> None:
    user = organization.new_user("Administrator", name="Ada Lovelace")
    browser = BrowserClient(organization.base_url)
    browser.log_in(user["email"])
    order = organization.created("work-orders", {"title": "Drip"})
    assert browser.post(f"/app/work-orders/{order['id']}/start").status_code == 303
    history = _history(browser, order)
    assert "Ada Lovelace" in history
    assert "API key First key" in history


def test_history_names_keys_to_those_who_may_see_them(organization: Organization) -> None:
    user = organization.new_user("Requester")
    browser = BrowserClient(organization.base_url)
    browser.log_in(user["email"])
    order = organization.created("work-orders", {"title": "Drip", "reportedBy": user["id"]})
    history = _history(browser, order)
    assert "API key" in history
    assert "First key" not in history
    assert organization.key_id not in history


def _history(browser: BrowserClient, order: dict[str, Any]) -> str:
    page = browser.get(f"/app/work-orders/{order['id']}").text
    return page[page.index('class="history"') :]
