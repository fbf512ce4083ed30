"""Events follow records: nobody learns from an event what they could not read from its record."""

from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization

from steward.kit.events.event_types import ALL
from steward.wiring.routes import api_document

DOCUMENT = api_document()

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
def test_naming_an_unreadable_record_is_refused(
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
def test_permissions_without_reading_show_no_events(house: Organization, narrow: str) -> None:
    assert _events(house, _key(house, "events:read", narrow)) == []


def test_an_event_is_not_found_without_permission_for_its_record(house: Organization) -> None:
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
