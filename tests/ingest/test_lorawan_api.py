"""Uplinks of network servers, from their POST to what the API then shows."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

EUI = "a84041b2c3d4e5f6"


def written(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.123456789Z")


def chirpstack(at: int, decoded: dict[str, Any] | None, eui: str = EUI) -> dict[str, Any]:
    return {"deviceInfo": {"devEui": eui, "tags": {}}, "time": written(at), "fPort": 2, "object": decoded}


def ttn(at: int, decoded: dict[str, Any] | None, eui: str = EUI) -> dict[str, Any]:
    uplink = {"f_port": 2, "decoded_payload": decoded, "received_at": written(at)}
    return {"end_device_ids": {"device_id": "d", "dev_eui": eui}, "uplink_message": uplink}


SERVERS = {"chirpstack": chirpstack, "ttn": ttn}


@pytest.fixture
def asset_id(organization: Organization) -> str:
    types = data_of(organization.api.get(f"/v2{organization.path}/asset-types?limit=100"))
    kind = next(t["id"] for t in types if t["name"] == "Temperature and humidity sensor")
    return str(
        organization.created("assets", {"name": "Sensor", "assetTypeId": kind, "externalId": EUI})["id"]
    )


def last_of(organization: Organization, asset_id: str) -> tuple[Any, Any]:
    asset = data_of(organization.api.get(f"{organization.path}/assets/{asset_id}"))
    return asset["lastTelemetry"], asset["lastSeen"]


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("eui", [EUI, EUI.upper()])
def test_an_uplink_is_stored_before_it_is_answered(
    organization: Organization, asset_id: str, server: str, eui: str
) -> None:
    at = int(time.time()) - 60
    body = SERVERS[server](at, {"temperature": 21.5, "battery": {"low": False, "state": "ok"}}, eui)
    answer = organization.api.post(f"{organization.path}/integrations/{server}", json=body)
    values = {"Temperature": 21.5, "battery.low": False}
    assert answer.status_code == 200, answer.text
    assert data_of(answer) == {
        "assetId": asset_id,
        "timestamp": at,
        "values": values,
        "ignored": ["battery.state"],
        "message": None,
    }
    assert last_of(organization, asset_id) == (values, at)


@pytest.mark.parametrize("server", SERVERS)
def test_an_unknown_device_is_named(organization: Organization, server: str) -> None:
    body = SERVERS[server](int(time.time()), {"temperature": 1}, "00000000000000FF")
    answer = organization.api.post(f"{organization.path}/integrations/{server}", json=body)
    assert answer.status_code == 404
    assert "00000000000000FF" in answer.json()["message"]


@pytest.mark.parametrize("server", SERVERS)
def test_an_undecoded_payload_is_refused(organization: Organization, asset_id: str, server: str) -> None:
    answer = organization.api.post(
        f"{organization.path}/integrations/{server}", json=SERVERS[server](int(time.time()), None)
    )
    assert answer.status_code == 422
    assert "network server has to decode" in answer.json()["message"]
    assert last_of(organization, asset_id) == (None, None)


@pytest.mark.parametrize("event", ["log", "location", "integration", "of tomorrow"])
def test_other_events_of_chirpstack_are_answered_and_ignored(
    organization: Organization, asset_id: str, event: str
) -> None:
    body = chirpstack(int(time.time()), {"temperature": 1})
    answer = organization.api.post(f"{organization.path}/integrations/chirpstack?event={event}", json=body)
    assert answer.status_code == 200
    assert event in data_of(answer)["message"]
    assert last_of(organization, asset_id) == (None, None)


@pytest.mark.parametrize("event", ["ack", "txack"])
def test_a_receipt_for_a_foreign_command_is_ignored(
    organization: Organization, asset_id: str, event: str
) -> None:
    body = {"deviceInfo": {"devEui": EUI}, "queueItemId": "somebody-elses", "acknowledged": True}
    answer = organization.api.post(f"{organization.path}/integrations/chirpstack?event={event}", json=body)
    assert (answer.status_code, "not one of ours" in data_of(answer)["message"]) == (200, True)
    assert last_of(organization, asset_id) == (None, None)


def test_chirpstack_says_that_an_uplink_is_one(organization: Organization, asset_id: str) -> None:
    at = int(time.time())
    body = chirpstack(at, {"humidity": 40})
    assert (
        organization.api.post(f"{organization.path}/integrations/chirpstack?event=up", json=body).status_code
        == 200
    )
    assert last_of(organization, asset_id) == ({"Humidity": 40}, at)


def test_a_status_of_chirpstack_is_a_reading_of_the_battery(
    organization: Organization, asset_id: str
) -> None:
    at = int(time.time()) - 60
    path = f"{organization.path}/integrations/chirpstack?event=status"
    body = {"deviceInfo": {"devEui": EUI}, "time": written(at), "margin": 12, "batteryLevel": 87.5}
    answer = organization.api.post(path, json=body)
    assert (answer.status_code, data_of(answer)["assetId"]) == (200, asset_id)
    assert last_of(organization, asset_id) == ({"BatteryLevel": 87.5, "LinkMargin": 12}, at)


@pytest.mark.parametrize("server", SERVERS)
def test_a_join_marks_the_device_as_connected(organization: Organization, asset_id: str, server: str) -> None:
    first, at = int(time.time()) - 60, int(time.time()) - 30
    path = f"{organization.path}/integrations/{server}"
    organization.api.post(path, json=SERVERS[server](first, {"temperature": 20}))
    joins = {
        "chirpstack": ("?event=join", {"deviceInfo": {"devEui": EUI}, "time": written(at)}),
        "ttn": ("", {"end_device_ids": {"dev_eui": EUI}, "join_accept": {"received_at": written(at)}}),
    }
    query, body = joins[server]
    answer = organization.api.post(f"{path}{query}", json=body)
    assert (answer.status_code, data_of(answer)["values"]) == (200, {})
    assert last_of(organization, asset_id) == ({"Temperature": 20}, at)
    history: dict[str, Any] = {"from": first, "to": at + 1, "key": "Temperature"}
    found = organization.api.get(f"{organization.path}/assets/{asset_id}/telemetry", params=history).json()
    assert [point["timestamp"] for point in found["data"]["series"][0]["points"]] == [first]


def test_other_messages_of_the_things_stack_are_answered_and_ignored(
    organization: Organization, asset_id: str
) -> None:
    body = {"end_device_ids": {"dev_eui": EUI}, "downlink_sent": {"session_key_id": "x"}}
    answer = organization.api.post(f"{organization.path}/integrations/ttn", json=body)
    assert answer.status_code == 200
    assert data_of(answer)["message"]


@pytest.mark.parametrize("server", SERVERS)
def test_sending_needs_the_permission(organization: Organization, asset_id: str, server: str) -> None:
    reader = organization.client(key=organization.new_key("iot:read")["secret"])
    body = SERVERS[server](int(time.time()), {"temperature": 1})
    assert reader.post(f"{organization.path}/integrations/{server}", json=body).status_code == 403


@pytest.mark.parametrize("server", SERVERS)
def test_a_repeated_request_with_a_key_acts_once(
    organization: Organization, asset_id: str, server: str
) -> None:
    body = SERVERS[server](int(time.time()), {"temperature": 1})
    path, headers = f"{organization.path}/integrations/{server}", {"Idempotency-Key": "once"}
    first, again = (organization.api.post(path, json=body, headers=headers) for _ in range(2))
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == first.json()


def test_a_time_that_lies_in_the_future_is_refused(organization: Organization, asset_id: str) -> None:
    answer = organization.api.post(
        f"{organization.path}/integrations/ttn", json=ttn(int(time.time()) + 86_400, {"temperature": 1})
    )
    assert answer.status_code == 422
