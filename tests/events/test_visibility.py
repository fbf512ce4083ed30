"""Events follow records: nobody learns from an event what they could not read from its record."""

import time
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.records.webhooks import URL

from steward.kit.events.event_types import ALL
from steward.webhooks.jobs import complete_subscriptions
from steward.wiring.routes import api_document

# Some tests do what a worker does: with every slice's event types.
DOCUMENT = api_document()

# With `assets:read`.
READABLE = {"alertrule", "asset", "assettype"}
SECRET_NAMES = ("Grace Hopper", "visitor@example.com")


@pytest.fixture
def house(organization: Organization) -> Organization:
    """With an asset, a work order, a visitor and a person in its events."""
    organization.assets.create(name="Boiler")
    organization.created("work-orders", {"title": "Drip"})
    organization.created("visitors", {"name": "Grace Hopper", "email": "visitor@example.com"})
    organization.new_user("Viewer")
    return organization


def _key(organization: Organization, *permissions: str) -> Client:
    return organization.client(key=organization.new_key(*permissions)["secret"])


def _events(organization: Organization, client: httpx.Client, **query: Any) -> list[str]:
    answer = client.get(f"/v2{organization.path}/events", params={"limit": 100, **query})
    assert answer.status_code == 200, answer.text
    return [event["type"] for event in data_of(answer)]


WAYS = [{}, {"order": "asc"}]


@pytest.mark.parametrize("way", WAYS)
def test_events_read_alone_shows_no_record(house: Organization, way: dict[str, str]) -> None:
    assert _events(house, _key(house, "events:read"), **way) == []


@pytest.mark.parametrize("way", WAYS)
def test_list_and_feed_show_what_the_caller_may_read(house: Organization, way: dict[str, str]) -> None:
    client = _key(house, "events:read", "assets:read")
    assert set(_events(house, client, **way)) == {"asset.created", "assettype.created"}
    assert set(_events(house, client, type="*", **way)) == {"asset.created", "assettype.created"}
    both = _key(house, "events:read", "assets:read", "visitors:read")
    assert set(_events(house, both, type="asset.*,visitor.*", **way)) == {
        "asset.created",
        "visitor.registered",
    }


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "wanted", ["user.created", "asset.*,user.created", "visitor.*", "*,visitor.registered"]
)
def test_naming_what_may_not_be_read_is_refused(
    house: Organization, way: dict[str, str], wanted: str
) -> None:
    client = _key(house, "events:read", "assets:read")
    answer = client.get(f"/v2{house.path}/events", params={"type": wanted, **way})
    assert answer.status_code == 403, answer.text
    assert "users:read" in answer.json()["message"] or "visitors:read" in answer.json()["message"]


def test_everything_is_refused_by_name_to_a_caller_who_reads_nothing(house: Organization) -> None:
    answer = _key(house, "events:read").get(f"/v2{house.path}/events", params={"type": "*"})
    assert answer.status_code == 403


@pytest.mark.parametrize("narrow", ["work-orders:request", "bookings:book", "visitors:write", "users:write"])
def test_permissions_to_less_than_reading_show_no_events(house: Organization, narrow: str) -> None:
    assert _events(house, _key(house, "events:read", narrow)) == []


def test_a_single_event_is_absent_to_who_may_not_read_its_record(house: Organization) -> None:
    client = _key(house, "events:read", "assets:read")
    found = {event["type"]: event["id"] for event in house.events()}
    assert client.get(f"/v2{house.path}/events/{found['asset.created']}").status_code == 200
    hidden = client.get(f"/v2{house.path}/events/{found['user.created']}")
    assert hidden.status_code == 404
    assert not any(name in hidden.text for name in SECRET_NAMES)


@pytest.mark.parametrize("suffix", ["csv", "ndjson"])
def test_exports_hold_what_the_caller_may_read(house: Organization, suffix: str) -> None:
    path = f"/v2{house.path}/events.{suffix}"
    text = _key(house, "events:read", "assets:read").get(path).text
    assert "asset.created" in text
    assert "visitor.registered" not in text
    assert not any(name in text for name in SECRET_NAMES)
    assert _key(house, "events:read").get(path, params={"type": "user.created"}).status_code == 403


def test_cursor_goes_on_for_the_same_caller(house: Organization) -> None:
    client = _key(house, "events:read", "assets:read")
    path = f"/v2{house.path}/events"
    feed = client.get(path, params={"order": "asc"}).json()["lastEvaluatedKey"]
    house.created("visitors", {"name": "Ada"})
    house.assets.create(name="Pump")
    told = client.get(path, params={"order": "asc", "after": feed}).json()
    assert [event["data"]["object"].get("name") for event in told["data"]] == ["Pump"]
    first = client.get(path, params={"limit": 1}).json()
    rest = client.get(path, params={"limit": 1, "lastEvaluatedKey": first["lastEvaluatedKey"]}).json()
    names = [event["data"]["object"]["name"] for event in (*first["data"], *rest["data"])]
    assert names == ["Pump", "Boiler"]


def test_every_type_says_which_permission_it_needs(organization: Organization) -> None:
    told = {
        kind["type"]: kind["permission"] for kind in data_of(organization.client().get("/v2/event-types"))
    }
    assert told == {name: kind.permission for name, kind in ALL.items()}
    assert told["visitor.registered"] == "visitors:read"
    assert told["alert.raised"] == "iot:read"
    assert "`users:read`" in DOCUMENT["webhooks"]["user.created"]["post"]["description"]


def _webhook(client: httpx.Client, organization: Organization, *events: str) -> httpx.Response:
    body = {"url": URL, "events": list(events)}
    return client.post(f"/v2{organization.path}/webhooks", json=body)


def test_a_webhook_is_sent_what_its_maker_may_read(house: Organization) -> None:
    maker = _key(house, "webhooks:write", "assets:read")
    made = data_of(_webhook(maker, house, "*"))
    assert made["events"] == ["*"]
    assert {name.partition(".")[0] for name in made["types"]} == READABLE
    house.assets.create(name="Pump")
    house.created("visitors", {"name": "Ada"})
    assert house.webhooks.queued_types(made) == ["asset.created"]
    assert data_of(house.api.get(house.webhooks.path_of(made)))["types"] == made["types"]


@pytest.mark.parametrize("wanted", ["user.created", "visitor.*"])
def test_a_webhook_for_what_its_maker_may_not_read_is_refused(house: Organization, wanted: str) -> None:
    maker = _key(house, "webhooks:write", "webhooks:read", "assets:read")
    refused = _webhook(maker, house, "asset.*", wanted)
    assert refused.status_code == 403
    assert wanted in refused.json()["message"]
    made = data_of(_webhook(maker, house, "asset.*"))
    changed = maker.patch(house.webhooks.path_of(made), json={"events": [wanted]})
    assert changed.status_code == 403
    assert wanted in changed.json()["message"]


def test_changing_the_events_makes_the_changer_the_maker(house: Organization) -> None:
    made = house.webhooks.create("*")
    lesser = _key(house, "webhooks:write", "assets:read")
    path = house.webhooks.path_of(made)
    renamed = data_of(lesser.patch(path, json={"description": "ERP"}))
    assert "user.created" in renamed["types"]
    narrowed = data_of(lesser.patch(path, json={"events": ["*"]}))
    assert {name.partition(".")[0] for name in narrowed["types"]} == READABLE
    widened = data_of(house.api.patch(path, json={"events": ["*"]}))
    assert widened["types"] == renamed["types"]


def test_nobody_redirects_what_they_may_not_read(house: Organization) -> None:
    made = house.webhooks.create("*")
    lesser = _key(house, "webhooks:write", "assets:read")
    path = house.webhooks.path_of(made)
    refused = lesser.patch(path, json={"url": f"{URL}/mine"})
    assert refused.status_code == 403
    assert "users:read" in refused.json()["message"]
    moved = lesser.patch(path, json={"url": f"{URL}/mine", "events": ["asset.*"]})
    assert moved.status_code == 200


def test_the_delivery_log_hides_what_the_caller_may_not_read(house: Organization) -> None:
    made = house.webhooks.create("*")
    house.assets.create(name="Pump")
    house.created("visitors", {"name": "Ada"})
    house.created("work-orders", {"title": "Leak"})
    shown = {delivery["eventType"]: delivery["id"] for delivery in house.webhooks.deliveries(made)}
    assert set(shown) == {"asset.created", "visitor.registered", "workorder.created"}
    lesser = _key(house, "webhooks:read", "webhooks:write", "assets:read")
    path = f"{house.webhooks.path_of(made)}/deliveries"
    assert [one["eventType"] for one in data_of(lesser.get(path))] == ["asset.created"]
    assert "visitor.registered" not in lesser.get(f"{path}.ndjson").text
    assert lesser.get(path, params={"type": "visitor.registered"}).status_code == 403
    assert lesser.get(f"{path}/{shown['asset.created']}").status_code == 200
    assert lesser.get(f"{path}/{shown['visitor.registered']}").status_code == 404
    assert lesser.post(f"{path}/{shown['visitor.registered']}/retry").status_code == 404
    only = house.webhooks.deliveries(made, type="visitor.*,workorder.*")
    assert {one["eventType"] for one in only} == {"visitor.registered", "workorder.created"}


def test_a_replay_sends_what_the_maker_and_the_caller_may_read(house: Organization) -> None:
    maker = _key(house, "webhooks:write", "assets:read")
    made = data_of(_webhook(maker, house, "*"))
    now = int(time.time())
    span = {"since": now - 3600, "until": now + 60, "only": "all"}
    path = f"{house.webhooks.path_of(made)}/replays"
    assert maker.post(path, json={**span, "types": ["visitor.*"]}).status_code == 403
    beyond = house.api.post(path, json={**span, "types": ["visitor.*"]})
    assert beyond.status_code == 422
    assert data_of(house.api.post(path, json={**span, "types": ["*"]}))["types"] == made["types"]
    house.webhooks.run_replays(now + 1)
    assert house.webhooks.queued_types(made) == ["assettype.created", "asset.created"]


def test_new_types_reach_only_webhooks_whose_maker_may_read_them(house: Organization) -> None:
    full = house.webhooks.create("*")
    lesser = data_of(_webhook(_key(house, "webhooks:write", "assets:read"), house, "*"))
    house.sql("UPDATE webhooks SET types = '{}' WHERE organization_id = $1", house.id)
    house.with_pool(complete_subscriptions)
    for webhook in (full, lesser):
        assert data_of(house.api.get(house.webhooks.path_of(webhook)))["types"] == webhook["types"]


def test_webhooks_from_before_go_on(house: Organization) -> None:
    made = house.webhooks.create("*")
    house.sql(
        "UPDATE webhooks SET maker_permissions = NULL, types = types[1:1] WHERE organization_id = $1",
        house.id,
    )
    house.with_pool(complete_subscriptions)
    assert data_of(house.api.get(house.webhooks.path_of(made)))["types"] == made["types"]
