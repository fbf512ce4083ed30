"""Readings over HTTP: what is taken, what is refused, and what they do to their asset."""

from typing import Any

import pytest
from tests.conftest import Service

from .conftest import Site


def test_a_reading_is_in_the_asset_and_in_its_history_once_it_is_answered(site: Site, now: int) -> None:
    device = site.device()
    answer = site.send(device, {"Temperature": 21.4, "Humidity": 48}, now)
    assert answer.status_code == 200
    assert answer.json()["data"] == {"assetId": device, "timestamp": now}
    asset = site.asset(device)
    assert (asset["lastTelemetry"], asset["lastSeen"]) == ({"Temperature": 21.4, "Humidity": 48}, now)
    assert site.history(device) == [(now, 21.4)]
    assert site.history(device, "Humidity") == [(now, 48)]


def test_a_reading_without_a_time_has_that_of_its_arrival(site: Site, now: int) -> None:
    device = site.device()
    site.sent(device, {"Temperature": 20})
    assert now <= site.asset(device)["lastSeen"] <= now + 60


def test_what_a_reading_leaves_out_stays_as_it_was(site: Site, now: int) -> None:
    device = site.device()
    site.sent(device, {"Temperature": 21, "Humidity": 50}, now - 2)
    site.sent(device, {"Temperature": 22, "Door": True}, now - 1)
    assert site.asset(device)["lastTelemetry"] == {"Temperature": 22, "Humidity": 50, "Door": True}
    assert site.history(device, "Door") == [(now - 1, 1)]


def test_an_older_reading_goes_into_the_history_and_changes_nothing_else(site: Site, now: int) -> None:
    device = site.device()
    site.listen("asset.telemetry.updated")
    site.rule()
    site.sent(device, {"Temperature": 20}, now)
    before = site.asset(device)
    site.sent(device, {"Temperature": 99, "Humidity": 1}, now - 60)
    assert site.asset(device) == before
    assert site.history(device) == [(now - 60, 99), (now, 20)]
    assert site.alerts() == []
    assert len(site.events("asset.telemetry.updated")) == 1


def test_the_same_reading_sent_twice_counts_once(site: Site, now: int) -> None:
    device = site.device()
    site.listen("asset.telemetry.updated")
    for _ in range(2):
        site.sent(device, {"Temperature": 20}, now)
    assert site.history(device) == [(now, 20)]
    assert len(site.events("asset.telemetry.updated")) == 1


def test_values_of_one_moment_may_come_one_by_one(site: Site, now: int) -> None:
    device = site.device()
    site.sent(device, {"Temperature": 20}, now)
    site.sent(device, {"Humidity": 50}, now)
    assert site.asset(device)["lastTelemetry"] == {"Temperature": 20, "Humidity": 50}
    assert (site.history(device), site.history(device, "Humidity")) == ([(now, 20)], [(now, 50)])


def test_nothing_of_a_value_is_rounded(site: Site, now: int) -> None:
    device = site.device()
    meter = 123456789012.3456
    site.sent(device, {"Energy": meter, "Pulses": 2**53}, now)
    assert site.asset(device)["lastTelemetry"] == {"Energy": meter, "Pulses": 2**53}
    assert (site.history(device, "Energy"), site.history(device, "Pulses")) == (
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
def test_a_bad_reading_is_refused_and_says_where(site: Site, bad: str) -> None:
    values, timestamp, field = BAD[bad]
    device = site.device()
    answer = site.send(device, values, timestamp)
    assert answer.status_code == 422, answer.text
    assert answer.json()["details"][0]["field"].startswith(field)
    assert site.asset(device)["lastTelemetry"] is None


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_finite_number_is_a_bad_value_and_not_a_broken_body(site: Site, number: str) -> None:
    device = site.device()
    path = f"{site.org.path}/assets/{device}/telemetry"
    answer = site.api.post(path, content=f'{{"values": {{"Humidity": 1, "Temperature": {number}}}}}')
    assert answer.status_code == 422, answer.text
    assert answer.json()["details"] == [
        {"field": "values.Temperature", "message": "must be a finite number or a boolean"}
    ]
    assert site.asset(device)["lastTelemetry"] is None


def test_a_body_that_is_not_json_is_a_bad_request(site: Site) -> None:
    path = f"{site.org.path}/assets/{site.device()}/telemetry"
    assert site.api.post(path, content='{"values": {').status_code == 400
    assert site.api.post(f"{site.org.path}/telemetry", content='{"readings": [').status_code == 400


def test_a_field_that_nobody_knows_is_named(site: Site) -> None:
    path = f"{site.org.path}/assets/{site.device()}/telemetry"
    answer = site.api.post(path, json={"values": {"Temperature": 1}, "time": 5})
    assert (answer.status_code, answer.json()["details"][0]["field"]) == (422, "time")


def test_a_clock_may_be_a_little_ahead_but_not_much(site: Site, now: int) -> None:
    device = site.device()
    assert site.send(device, {"Temperature": 1}, now + 200).status_code == 200
    assert site.send(device, {"Temperature": 1}, now + 400).status_code == 422


def test_an_asset_that_is_not_there_or_not_ours_is_not_found(site: Site, other_site: Site) -> None:
    for stranger in ("ast_nothing", other_site.device()):
        assert site.send(stranger, {"Temperature": 1}).status_code == 404


def test_sending_takes_a_permission_of_its_own(site: Site) -> None:
    device = site.device()
    reader = site.org.client(key=site.org.new_key("iot:read", "assets:write")["secret"])
    sender = site.org.client(key=site.org.new_key("iot:write")["secret"])
    assert site.send(device, {"Temperature": 1}, api=reader).status_code == 403
    assert site.send(device, {"Temperature": 1}, api=sender).status_code == 200


def test_readings_of_several_assets_are_taken_one_by_one(site: Site, other_site: Site, now: int) -> None:
    one, two = site.device("One", externalId="BMS-1"), site.device("Two")
    answer = site.send_many(
        {"externalId": "BMS-1", "values": {"Temperature": 1}, "timestamp": now},
        {"assetId": two, "values": {"Temperature": "warm"}},
        {"assetId": two, "values": {"Temperature": 2}, "timestamp": now},
        {"assetId": other_site.device(), "values": {"Temperature": 3}},
        {"externalId": "BMS-unknown", "values": {"Temperature": 4}},
        {"values": {"Temperature": 5}},
        {"assetId": two, "values": {"Temperature": 6}, "timestamp": now + 9999},
    )
    assert answer.status_code == 200, answer.text
    data = answer.json()["data"]
    assert (data["accepted"], data["rejected"]) == (2, 5)
    results = data["results"]
    assert [r["accepted"] for r in results] == [True, False, True, False, False, False, False]
    assert results[0] == {"accepted": True, "assetId": one, "timestamp": now}
    refused = ["ValidationError", "NotFound", "NotFound", "ValidationError", "ValidationError"]
    assert [r["error"] for r in results if not r["accepted"]] == refused
    assert site.asset(one)["lastTelemetry"] == {"Temperature": 1}
    assert site.asset(two)["lastTelemetry"] == {"Temperature": 2}


def test_an_identifier_with_a_line_break_is_unknown_and_loses_no_other(site: Site, now: int) -> None:
    device = site.device()
    answer = site.send_many(
        {"assetId": f"{device}\n{device}", "values": {"Temperature": 1}, "timestamp": now},
        {"assetId": device, "values": {"Temperature": 2}, "timestamp": now},
    )
    assert [r["accepted"] for r in answer.json()["data"]["results"]] == [False, True]
    assert site.asset(device)["lastTelemetry"] == {"Temperature": 2}


def test_nan_in_one_reading_loses_no_other(site: Site) -> None:
    one, two = site.device(), site.device()
    body = (
        f'{{"readings": [{{"assetId": "{one}", "values": {{"Temperature": NaN}}}},'
        f' {{"assetId": "{two}", "values": {{"Temperature": 2}}}}]}}'
    )
    answer = site.api.post(f"{site.org.path}/telemetry", content=body)
    assert answer.status_code == 200, answer.text
    assert [r["accepted"] for r in answer.json()["data"]["results"]] == [False, True]
    assert site.asset(two)["lastTelemetry"] == {"Temperature": 2}


@pytest.mark.parametrize("count", [0, 1001])
def test_a_batch_holds_one_to_a_thousand_readings(site: Site, count: int) -> None:
    reading = {"assetId": "ast_x", "values": {"Temperature": 1}}
    assert site.send_many(*[reading] * count).status_code == 422


def test_a_thousand_readings_of_one_asset_may_come_in_any_order(site: Site, now: int) -> None:
    device = site.device()
    times = [now - 500 + (i * 383) % 997 for i in range(997)]
    readings = [
        {"assetId": device, "values": {"Temperature": at % 100}, "timestamp": at} for at in times if at <= now
    ]
    answer = site.send_many(*readings)
    assert answer.json()["data"]["rejected"] == 0
    assert site.history(device) == [(at, at % 100) for at in sorted(times) if at <= now]
    newest = max(at for at in times if at <= now)
    assert site.asset(device)["lastSeen"] == newest
    assert site.asset(device)["lastTelemetry"] == {"Temperature": newest % 100}


def test_an_idempotent_reading_is_stored_once_and_answered_alike(site: Site) -> None:
    device = site.device()
    first = site.send(device, {"Temperature": 5}, **{"Idempotency-Key": "once"})
    again = site.send(device, {"Temperature": 5}, **{"Idempotency-Key": "once"})
    assert (first.status_code, first.json()) == (again.status_code, again.json()) == (200, first.json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(site.history(device)) == 1


def test_each_reading_is_told_where_somebody_listens(site: Site, now: int) -> None:
    device = site.device()
    site.sent(device, {"Temperature": 20}, now - 10)
    assert site.events("asset.telemetry.updated") == []
    site.listen("asset.telemetry.updated")
    site.send_many(
        {"assetId": device, "values": {"Temperature": 21}, "timestamp": now - 5},
        {"assetId": device, "values": {"Humidity": 50}, "timestamp": now},
    )
    first, second = site.events("asset.telemetry.updated")
    asset = site.asset(device)
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


def test_the_newest_wins_whichever_process_it_comes_through(site: Site, service: Service, now: int) -> None:
    device = site.device()
    other = site.org.client(key=site.org.secret, base_url=service.another_api().base_url)
    for second in range(20):
        api: Any = other if second % 2 else site.api
        values = {"Temperature": second, f"Key{second % 5}": second}
        assert site.send(device, values, now - 20 + second, api=api).status_code == 200
    assert site.asset(device)["lastTelemetry"]["Temperature"] == 19
    assert [value for _, value in site.history(device)] == list(range(20))
    assert site.history(device, "Key3") == [(now - 20 + s, s) for s in range(20) if s % 5 == 3]
