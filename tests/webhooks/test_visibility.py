"""A webhook is sent what its maker may read, and nothing else of it is shown to others."""

import time

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.records.webhooks import URL

from steward.webhooks.jobs import complete_subscriptions

# With `assets:read`.
READABLE = {"alertrule", "asset", "assettype"}


@pytest.fixture
def house(organization: Organization) -> Organization:
    """With an asset, a work order, a visitor and a person in its events."""
    organization.assets.create(name="Boiler")
    organization.created("work-orders", {"title": "Drip"})
    organization.created("visitors", {"name": "Grace Hopper"})
    organization.new_user("Viewer")
    return organization


def _key(organization: Organization, *permissions: str) -> Client:
    return organization.client(key=organization.new_key(*permissions)["secret"])


def _webhook(client: httpx.Client, organization: Organization, *events: str) -> httpx.Response:
    body = {"url": URL, "events": list(events)}
    return client.post(f"/v2{organization.path}/webhooks", json=body)


def test_a_webhook_gets_only_events_that_its_creator_can_read(house: Organization) -> None:
    maker = _key(house, "webhooks:write", "assets:read")
    made = data_of(_webhook(maker, house, "*"))
    assert made["events"] == ["*"]
    assert {name.partition(".")[0] for name in made["types"]} == READABLE
    house.assets.create(name="Pump")
    house.created("visitors", {"name": "Ada"})
    assert house.webhooks.queued_types(made) == ["asset.created"]
    assert data_of(house.api.get(house.webhooks.path_of(made)))["types"] == made["types"]


@pytest.mark.parametrize("wanted", ["user.created", "visitor.*"])
def test_a_webhook_for_types_that_its_creator_cannot_read_is_refused(
    house: Organization, wanted: str
) -> None:
    maker = _key(house, "webhooks:write", "webhooks:read", "assets:read")
    refused = _webhook(maker, house, "asset.*", wanted)
    assert refused.status_code == 403
    assert wanted in refused.json()["message"]
    made = data_of(_webhook(maker, house, "asset.*"))
    changed = maker.patch(house.webhooks.path_of(made), json={"events": [wanted]})
    assert changed.status_code == 403
    assert wanted in changed.json()["message"]


def test_changing_the_event_types_makes_the_editor_the_creator(house: Organization) -> None:
    made = house.webhooks.create("*")
    lesser = _key(house, "webhooks:write", "assets:read")
    path = house.webhooks.path_of(made)
    renamed = data_of(lesser.patch(path, json={"description": "ERP"}))
    assert "user.created" in renamed["types"]
    narrowed = data_of(lesser.patch(path, json={"events": ["*"]}))
    assert {name.partition(".")[0] for name in narrowed["types"]} == READABLE
    widened = data_of(house.api.patch(path, json={"events": ["*"]}))
    assert widened["types"] == renamed["types"]


def test_the_url_of_a_webhook_with_unreadable_types_cannot_be_changed(house: Organization) -> None:
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


def test_a_replay_sends_only_events_that_creator_and_caller_can_read(house: Organization) -> None:
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


def test_existing_webhooks_keep_working(house: Organization) -> None:
    made = house.webhooks.create("*")
    house.sql(
        "UPDATE webhooks SET maker_permissions = NULL, types = types[1:1] WHERE organization_id = $1",
        house.id,
    )
    house.with_pool(complete_subscriptions)
    assert data_of(house.api.get(house.webhooks.path_of(made)))["types"] == made["types"]
