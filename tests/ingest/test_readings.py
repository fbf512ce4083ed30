"""Readings over HTTP: what is taken, what is refused, and what they do to their asset."""

from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.service import Service

# Nothing can be delivered to it; what counts is that somebody subscribes.
UNREACHABLE = "https://receiver.invalid/"


def test_an_answered_reading_is_in_the_asset_and_its_history(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    answer = organization.devices.send(device, {"Temperature": 21.4, "Humidity": 48}, now)
    assert answer.status_code == 200
    assert data_of(answer) == {"assetId": device, "timestamp": now}
    asset = organization.devices.read(device)
    assert (asset["lastTelemetry"], asset["lastSeen"]) == ({"Temperature": 21.4, "Humidity": 48}, now)
    assert organization.devices.history(device) == [(now, 21.4)]
    assert organization.devices.history(device, "Humidity") == [(now, 48)]


def test_a_reading_without_a_time_gets_the_arrival_time(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    organization.devices.report(device, {"Temperature": 20})
    assert now <= organization.devices.read(device)["lastSeen"] <= now + 60


def test_values_missing_in_a_reading_are_kept(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    organization.devices.report(device, {"Temperature": 21, "Humidity": 50}, now - 2)
    organization.devices.report(device, {"Temperature": 22, "Door": True}, now - 1)
    assert organization.devices.read(device)["lastTelemetry"] == {
        "Temperature": 22,
        "Humidity": 50,
        "Door": True,
    }
    assert organization.devices.history(device, "Door") == [(now - 1, 1)]


def test_an_older_reading_goes_into_the_history_and_changes_nothing_else(
    organization: Organization, now: int
) -> None:
    device = organization.devices.add()
    organization.webhooks.create("asset.telemetry.updated", url=UNREACHABLE)
    organization.alert_rules.create()
    organization.devices.report(device, {"Temperature": 20}, now)
    before = organization.devices.read(device)
    organization.devices.report(device, {"Temperature": 99, "Humidity": 1}, now - 60)
    assert organization.devices.read(device) == before
    assert organization.devices.history(device) == [(now - 60, 99), (now, 20)]
    assert organization.alerts.listed() == []
    assert len(organization.events(type="asset.telemetry.updated")) == 1


def test_the_same_reading_sent_twice_counts_once(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    organization.webhooks.create("asset.telemetry.updated", url=UNREACHABLE)
    for _ in range(2):
        organization.devices.report(device, {"Temperature": 20}, now)
    assert organization.devices.history(device) == [(now, 20)]
    assert len(organization.events(type="asset.telemetry.updated")) == 1


def test_values_of_one_moment_may_come_one_by_one(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    organization.devices.report(device, {"Temperature": 20}, now)
    organization.devices.report(device, {"Humidity": 50}, now)
    assert organization.devices.read(device)["lastTelemetry"] == {"Temperature": 20, "Humidity": 50}
    assert (organization.devices.history(device), organization.devices.history(device, "Humidity")) == (
        [(now, 20)],
        [(now, 50)],
    )


def test_nothing_of_a_value_is_rounded(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    meter = 123456789012.3456
    organization.devices.report(device, {"Energy": meter, "Pulses": 2**53}, now)
    assert organization.devices.read(device)["lastTelemetry"] == {"Energy": meter, "Pulses": 2**53}
    assert (
        organization.devices.history(device, "Energy"),
        organization.devices.history(device, "Pulses"),
    ) == (
        [(now, meter)],
        [(now, 2**53)],
    )


BAD = {
    "text": ({"Temperature": "warm"}, None, "values"),
    "null": ({"Temperature": None}, None, "values"),
    "a list": ({"Temperature": [1]}, None, "values"),
    "no values": ({}, None, "values"),
    "too many values": ({str(i): i for i in range(201)}, None, "values"),
    "an empty key": ({"": 1}, None, "values"),
    "a number that can't be kept exactly": ({"Pulses": 2**53 + 1}, None, "values"),
    "values that are no object": ([1], None, "values"),
    "a time in milliseconds": ({"Temperature": 1}, 1_767_225_600_000, "timestamp"),
    "a time as text": ({"Temperature": 1}, "2026-01-01", "timestamp"),
    "a fraction of a second": ({"Temperature": 1}, 1.5, "timestamp"),
    "a time before all history": ({"Temperature": 1}, 1, "timestamp"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_reading_is_refused_with_its_position(organization: Organization, bad: str) -> None:
    values, timestamp, field = BAD[bad]
    device = organization.devices.add()
    answer = organization.devices.send(device, values, timestamp)
    assert answer.status_code == 422, answer.text
    assert answer.json()["details"][0]["field"].startswith(field)
    assert organization.devices.read(device)["lastTelemetry"] is None


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_non_finite_numbers_are_bad_values_not_bad_bodies(organization: Organization, number: str) -> None:
    device = organization.devices.add()
    path = f"{organization.path}/assets/{device}/telemetry"
    answer = organization.api.post(path, content=f'{{"values": {{"Humidity": 1, "Temperature": {number}}}}}')
    assert answer.status_code == 422, answer.text
    assert answer.json()["details"] == [
        {"field": "values.Temperature", "message": "must be a finite number or a boolean"}
    ]
    assert organization.devices.read(device)["lastTelemetry"] is None


def test_a_body_that_is_not_json_is_a_bad_request(organization: Organization) -> None:
    path = f"{organization.path}/assets/{organization.devices.add()}/telemetry"
    assert organization.api.post(path, content='{"values": {').status_code == 400
    assert (
        organization.api.post(f"{organization.path}/telemetry", content='{"readings": [').status_code == 400
    )


def test_an_unknown_field_is_named(organization: Organization) -> None:
    path = f"{organization.path}/assets/{organization.devices.add()}/telemetry"
    answer = organization.api.post(path, json={"values": {"Temperature": 1}, "time": 5})
    assert (answer.status_code, answer.json()["details"][0]["field"]) == (422, "time")


def test_a_timestamp_may_be_slightly_in_the_future(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    assert organization.devices.send(device, {"Temperature": 1}, now + 200).status_code == 200
    assert organization.devices.send(device, {"Temperature": 1}, now + 400).status_code == 422


def test_an_unknown_or_foreign_asset_is_not_found(
    organization: Organization, other_organization: Organization
) -> None:
    for stranger in ("ast_nothing", other_organization.devices.add()):
        assert organization.devices.send(stranger, {"Temperature": 1}).status_code == 404


def test_sending_takes_a_permission_of_its_own(organization: Organization) -> None:
    device = organization.devices.add()
    reader = organization.client(key=organization.new_key("iot:read", "assets:write")["secret"])
    sender = organization.client(key=organization.new_key("iot:write")["secret"])
    assert organization.devices.send(device, {"Temperature": 1}, api=reader).status_code == 403
    assert organization.devices.send(device, {"Temperature": 1}, api=sender).status_code == 200


def test_readings_of_several_assets_are_taken_one_by_one(
    organization: Organization, other_organization: Organization, now: int
) -> None:
    one, two = organization.devices.add("One", externalId="BMS-1"), organization.devices.add("Two")
    answer = organization.devices.send_batch(
        {"externalId": "BMS-1", "values": {"Temperature": 1}, "timestamp": now},
        {"assetId": two, "values": {"Temperature": "warm"}},
        {"assetId": two, "values": {"Temperature": 2}, "timestamp": now},
        {"assetId": other_organization.devices.add(), "values": {"Temperature": 3}},
        {"externalId": "BMS-unknown", "values": {"Temperature": 4}},
        {"values": {"Temperature": 5}},
        {"assetId": two, "values": {"Temperature": 6}, "timestamp": now + 9999},
    )
    assert answer.status_code == 200, answer.text
    data = data_of(answer)
    assert (data["accepted"], data["rejected"]) == (2, 5)
    results = data["results"]
    assert [r["accepted"] for r in results] == [True, False, True, False, False, False, False]
    assert results[0] == {
        "index": 0,
        "accepted": True,
        "assetId": one,
        "externalId": "BMS-1",
        "timestamp": now,
    }
    assert [r["index"] for r in results] == list(range(7))
    sent = [(r.get("assetId"), r.get("externalId")) for r in results]
    assert (sent[1], sent[2], sent[4], sent[5], sent[6]) == (
        (two, None),
        (two, None),
        (None, "BMS-unknown"),
        (None, None),
        (two, None),
    )
    refused = ["ValidationError", "NotFound", "NotFound", "ValidationError", "ValidationError"]
    assert [r["error"] for r in results if not r["accepted"]] == refused
    assert organization.devices.read(one)["lastTelemetry"] == {"Temperature": 1}
    assert organization.devices.read(two)["lastTelemetry"] == {"Temperature": 2}


def test_a_single_reading_may_name_its_asset_as_its_sender_does(
    organization: Organization, other_organization: Organization, now: int
) -> None:
    device = organization.devices.add(externalId="BMS 7")
    other_organization.devices.add(externalId="BMS-8")
    body = {"values": {"Temperature": 7}, "timestamp": now}
    path = f"{organization.path}/assets/by-external-id"
    answer = organization.api.post(f"{path}/BMS%207/telemetry", json=body)
    assert (answer.status_code, data_of(answer)) == (200, {"assetId": device, "timestamp": now})
    assert organization.devices.read(device)["lastTelemetry"] == {"Temperature": 7}
    foreign = organization.api.post(f"{path}/BMS-8/telemetry", json=body)
    assert (foreign.status_code, foreign.json()["message"]) == (
        404,
        "There is no asset with this externalId.",
    )


def test_an_identifier_with_a_line_break_is_unknown_and_drops_no_other(
    organization: Organization, now: int
) -> None:
    device = organization.devices.add()
    answer = organization.devices.send_batch(
        {"assetId": f"{device}\n{device}", "values": {"Temperature": 1}, "timestamp": now},
        {"assetId": device, "values": {"Temperature": 2}, "timestamp": now},
    )
    assert [r["accepted"] for r in data_of(answer)["results"]] == [False, True]
    assert organization.devices.read(device)["lastTelemetry"] == {"Temperature": 2}


def test_nan_in_one_reading_loses_no_other(organization: Organization) -> None:
    one, two = organization.devices.add(), organization.devices.add()
    body = (
        f'{{"readings": [{{"assetId": "{one}", "values": {{"Temperature": NaN}}}},'
        f' {{"assetId": "{two}", "values": {{"Temperature": 2}}}}]}}'
    )
    answer = organization.api.post(f"{organization.path}/telemetry", content=body)
    assert answer.status_code == 200, answer.text
    assert [r["accepted"] for r in data_of(answer)["results"]] == [False, True]
    assert organization.devices.read(two)["lastTelemetry"] == {"Temperature": 2}


@pytest.mark.parametrize("count", [0, 1001])
def test_a_batch_holds_one_to_a_thousand_readings(organization: Organization, count: int) -> None:
    reading = {"assetId": "ast_x", "values": {"Temperature": 1}}
    assert organization.devices.send_batch(*[reading] * count).status_code == 422


def test_a_thousand_readings_of_one_asset_may_come_in_any_order(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    times = [now - 500 + (i * 383) % 997 for i in range(997)]
    readings = [
        {"assetId": device, "values": {"Temperature": at % 100}, "timestamp": at} for at in times if at <= now
    ]
    answer = organization.devices.send_batch(*readings)
    assert data_of(answer)["rejected"] == 0
    assert organization.devices.history(device) == [(at, at % 100) for at in sorted(times) if at <= now]
    newest = max(at for at in times if at <= now)
    assert organization.devices.read(device)["lastSeen"] == newest
    assert organization.devices.read(device)["lastTelemetry"] == {"Temperature": newest % 100}


def test_an_idempotent_reading_is_stored_once_and_answered_alike(organization: Organization) -> None:
    device = organization.devices.add()
    first = organization.devices.send(device, {"Temperature": 5}, headers={"Idempotency-Key": "once"})
    again = organization.devices.send(device, {"Temperature": 5}, headers={"Idempotency-Key": "once"})
    assert (first.status_code, first.json()) == (again.status_code, again.json()) == (200, first.json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(organization.devices.history(device)) == 1


def test_readings_write_events_only_with_a_subscriber(organization: Organization, now: int) -> None:
    device = organization.devices.add()
    organization.devices.report(device, {"Temperature": 20}, now - 10)
    assert organization.events(type="asset.telemetry.*") == []
    organization.webhooks.create("asset.telemetry.updated", url=UNREACHABLE)
    organization.devices.send_batch(
        {"assetId": device, "values": {"Temperature": 21}, "timestamp": now - 5},
        {"assetId": device, "values": {"Humidity": 50}, "timestamp": now},
    )
    first, second = organization.events(type="asset.telemetry.updated")
    asset = organization.devices.read(device)
    shown = [
        "id",
        "name",
        "assetTypeId",
        "locationId",
        "status",
        "connectionStatus",
        "isOnline",
        "lastTelemetry",
        "lastSeen",
    ]
    assert second["data"]["object"] == {name: asset[name] for name in shown}
    assert first["data"]["previousAttributes"] == {"lastTelemetry": {"Temperature": 20}, "lastSeen": now - 10}
    assert second["data"]["previousAttributes"] == {"lastTelemetry": {"Temperature": 21}, "lastSeen": now - 5}


def test_the_newest_reading_wins_across_processes(
    organization: Organization, service: Service, now: int
) -> None:
    device = organization.devices.add()
    other = organization.client(key=organization.secret, base_url=service.another_api().base_url)
    for second in range(20):
        api: Any = other if second % 2 else organization.api
        values = {"Temperature": second, f"Key{second % 5}": second}
        assert organization.devices.send(device, values, now - 20 + second, api=api).status_code == 200
    assert organization.devices.read(device)["lastTelemetry"]["Temperature"] == 19
    assert [value for _, value in organization.devices.history(device)] == list(range(20))
    assert organization.devices.history(device, "Key3") == [
        (now - 20 + s, s) for s in range(20) if s % 5 == 3
    ]
