"""Events of assets."""

import asyncio
from typing import Any

import asyncpg
import msgspec
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.assets import events
from steward.assets.model import EXAMPLE
from steward.kit.events.event_types import build_event
from steward.kit.security.caller import SOME_TENANT


def _attributes(organization: Organization, event_id: str) -> dict[str, Any]:
    async def read() -> Any:
        connection = await asyncpg.connect(organization.database_url)
        try:
            return await connection.fetchval(
                "SELECT attributes FROM events WHERE organization_id = $1 AND id = $2",
                organization.id,
                event_id,
            )
        finally:
            await connection.close()

    return msgspec.json.decode(asyncio.run(read()))


def _envelope(
    organization: Organization, event: dict[str, Any], kind: str, shown: dict[str, Any]
) -> dict[str, Any]:
    return {
        "id": event["id"],
        "type": kind,
        "organizationId": organization.id,
        "created": event["created"],
        "data": {"object": shown},
        "livemode": True,
    }


def test_a_new_asset_writes_an_event(organization: Organization) -> None:
    asset = organization.assets.create(
        locationId=organization.locations.first_id, metadata={"model": "X"}, externalId="BMS-1"
    )
    (event,) = organization.events(type="asset.*")
    shown = ("id", "name", "assetTypeId", "locationId", "status", "metadata", "created", "updated")
    assert event == _envelope(organization, event, "asset.created", {name: asset[name] for name in shown})
    assert event["data"]["object"]["status"] == "Online"
    assert _attributes(organization, event["id"]) == {
        "assetId": asset["id"],
        "assetTypeId": organization.assets.type_id,
        "locationId": organization.locations.first_id,
    }


def test_the_event_of_a_deleted_asset_matches_its_last_location(organization: Organization) -> None:
    asset = organization.assets.create(locationId=organization.locations.first_id)
    organization.api.delete(organization.assets.path_of(asset["id"]))
    (event,) = organization.events(type="asset.deleted")
    assert event == _envelope(organization, event, "asset.deleted", {"id": asset["id"], "deleted": True})
    assert _attributes(organization, event["id"]) == {
        "assetId": asset["id"],
        "assetTypeId": organization.assets.type_id,
        "locationId": organization.locations.first_id,
    }


def _change(organization: Organization, asset: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer = organization.api.patch(organization.assets.path_of(asset["id"]), json=fields)
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = data_of(answer)
    return changed


def test_the_event_of_a_change_has_the_previous_values(organization: Organization) -> None:
    asset = organization.assets.create(externalId="BMS-1")
    place = organization.locations.first_id
    for fields in ({"name": "Other", "locationId": place}, {"keepAlive": 77}, {"keepAlive": None}):
        old, asset = asset, _change(organization, asset, **fields)
        event = organization.events(type="asset.updated")[-1]
        shown = [name for name in asset if name in event["data"]["object"]]
        assert event["data"] == {
            "object": {name: asset[name] for name in shown},
            "previousAttributes": {name: old[name] for name in fields},
        }
        assert {*fields, "assetTypeId", "status", "metadata", "updated"} <= set(shown)
    assert asset["keepAlive"] is not None
    attributes = _attributes(organization, organization.events(type="asset.updated")[0]["id"])
    assert (attributes["locationId"], attributes["was"]) == (place, {"locationId": None})


def test_changes_without_effect_and_failures_write_no_events(organization: Organization) -> None:
    asset = organization.assets.create(externalId="BMS-1")
    _change(organization, asset, name=asset["name"], keepAlive=asset["keepAlive"])
    organization.api.post(
        organization.assets.path,
        json={"name": "P", "assetTypeId": organization.assets.type_id, "externalId": "BMS-1"},
    )
    organization.api.post(organization.assets.path, json={"name": "P", "assetTypeId": "aty_nothing"})
    assert [event["type"] for event in organization.events(type="asset.*")] == ["asset.created"]


@pytest.mark.parametrize(
    ("kind", "shown", "previous"),
    [
        (
            events.TELEMETRY_UPDATED,
            "id name assetTypeId locationId status connectionStatus isOnline lastTelemetry lastSeen",
            {"lastTelemetry": {"Temperature": 21.1, "Humidity": 48.5}, "lastSeen": 1767225000},
        ),
        (
            events.STATUS_CHANGED,
            "id name organizationId assetTypeId locationId status connectionStatus isOnline",
            {"connectionStatus": False},
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_simulated_readings_have_the_documented_form(kind: Any, shown: str, previous: Any) -> None:
    old = msgspec.structs.replace(EXAMPLE, **kind.was)
    event = build_event(kind, EXAMPLE, tenant=SOME_TENANT, now=1767225600, old=old)
    data = msgspec.json.decode(event.body)["data"]
    public = msgspec.to_builtins(EXAMPLE)
    assert data == {
        "object": {name: public[name] for name in shown.split()},
        "previousAttributes": previous,
    }


def test_the_event_of_a_reading_has_both_previous_values() -> None:
    first = msgspec.structs.replace(EXAMPLE, last_telemetry=None, last_seen=None)
    same = msgspec.structs.replace(EXAMPLE, last_seen=1767225000)
    for old in (first, same):
        event = build_event(events.TELEMETRY_UPDATED, EXAMPLE, tenant=SOME_TENANT, now=1767225600, old=old)
        assert msgspec.json.decode(event.body)["data"]["previousAttributes"] == {
            "lastTelemetry": old.last_telemetry,
            "lastSeen": old.last_seen,
        }


def test_all_types_are_in_the_catalogue(organization: Organization) -> None:
    listed = {entry["type"]: entry for entry in data_of(organization.api.get("/v2/event-types"))}
    assert {name for name in listed if name.startswith("asset.")} == {
        "asset.created",
        "asset.deleted",
        "asset.status.changed",
        "asset.telemetry.updated",
        "asset.updated",
    }
    assert listed["asset.deleted"]["fields"] == ["id", "deleted"]
