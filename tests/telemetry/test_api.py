"""History over HTTP, from the POST of a reading on."""

import time
from typing import Any

import pytest
from tests.support.organizations import Organization
from tests.support.processes import wait_for


@pytest.fixture
def sensor(org: Organization) -> str:
    kind = org.api.post(
        f"/v2{org.path}/asset-types",
        json={
            "name": "Window sensor",
            "isIotDevice": True,
            "properties": [
                {"key": "Temperature", "name": "Room temperature", "type": "float", "unit": "°C"},
                {"key": "Open", "name": "Window", "type": "boolean"},
            ],
        },
    ).json()["data"]
    return org.created("assets", {"name": "Window 3", "assetTypeId": kind["id"]})["id"]


def _path(org: Organization, asset_id: str) -> str:
    return f"{org.path}/assets/{asset_id}/telemetry"


def _report(org: Organization, asset_id: str, timestamp: int | None = None, **values: Any) -> None:
    body = {"values": values} | ({} if timestamp is None else {"timestamp": timestamp})
    answer = org.api.post(_path(org, asset_id), json=body)
    assert answer.is_success, answer.text


def _history(org: Organization, asset_id: str, **query: Any) -> dict[str, Any]:
    answer = org.api.get(_path(org, asset_id), params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def test_a_reading_shows_in_history_with_its_name_and_unit(org: Organization, sensor: str) -> None:
    now = int(time.time())
    _report(org, sensor, now - 60, Temperature=21.4, Open=True)
    _report(org, sensor, now - 30, Temperature=21.6, Signal=-70)
    found = _history(org, sensor, **{"from": now - 120, "to": now})
    assert found == {
        "assetId": sensor,
        "from": now - 120,
        "to": now,
        "bucketSeconds": 1,
        "series": [
            {
                "key": "Temperature",
                "name": "Room temperature",
                "unit": "°C",
                "type": "float",
                "points": [_point(now - 60, 21.4), _point(now - 30, 21.6)],
            },
            {"key": "Open", "name": "Window", "unit": "", "type": "boolean", "points": [_point(now - 60, 1)]},
            {
                "key": "Signal",
                "name": "Signal",
                "unit": "",
                "type": "float",
                "points": [_point(now - 30, -70)],
            },
        ],
    }


def _point(timestamp: int, value: float) -> dict[str, Any]:
    return {"timestamp": timestamp, "min": value, "max": value, "average": value, "count": 1}


def test_the_last_day_in_500_points_is_what_nobody_asked_otherwise(org: Organization, sensor: str) -> None:
    _report(org, sensor, Temperature=20)
    found = _history(org, sensor)
    assert found["to"] - found["from"] == 86_400
    assert found["bucketSeconds"] == 173
    assert [len(each["points"]) for each in found["series"]] == [1, 0]


def test_what_comes_late_or_twice_shows_once_and_in_order(org: Organization, sensor: str) -> None:
    now = int(time.time())
    for second in (now - 10, now - 30, now - 10, now - 20):
        _report(org, sensor, second, Temperature=second % 7)
    (found,) = _history(org, sensor, key="Temperature", **{"from": now - 60, "to": now})["series"]
    assert found["points"] == [_point(second, second % 7) for second in (now - 30, now - 20, now - 10)]


def test_a_window_takes_its_beginning_in_and_leaves_its_end_out(org: Organization, sensor: str) -> None:
    now = int(time.time())
    for second in (now - 20, now - 10):
        _report(org, sensor, second, Temperature=1)
    (found,) = _history(org, sensor, key="Temperature", **{"from": now - 20, "to": now - 10})["series"]
    assert [point["timestamp"] for point in found["points"]] == [now - 20]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"from": 100, "to": 100}, "from"),
        ({"from": 101, "to": 100}, "from"),
        ({"from": -1}, "from"),
        ({"to": "tomorrow"}, "to"),
        ({"resolution": 0}, "resolution"),
        ({"resolution": 2001}, "resolution"),
        ({"key": "a,,b"}, "key"),
        ({"key": ""}, "key"),
        ({"keys": "a"}, "keys"),
    ],
)
def test_a_bad_question_is_refused_by_field(org: Organization, sensor: str, query: Any, field: str) -> None:
    answer = org.api.get(_path(org, sensor), params=query)
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == field


def test_an_asset_that_is_not_there_has_no_history(org: Organization) -> None:
    assert org.api.get(_path(org, "ast_none")).status_code == 404


def test_history_of_another_organization_is_not_there(found: Any, sensor: str) -> None:
    other = found()
    assert other.api.get(_path(other, sensor)).status_code == 404


def test_history_needs_the_permission_to_read_telemetry(org: Organization, sensor: str) -> None:
    lesser = org.client(key=org.new_key("assets:read")["secret"])
    assert lesser.get(_path(org, sensor)).status_code == 403


def test_history_goes_with_its_asset(org: Organization, sensor: str) -> None:
    _report(org, sensor, Temperature=20)
    wait_for("the point shows", lambda: _history(org, sensor)["series"][0]["points"])
    assert org.api.delete(f"{org.path}/assets/{sensor}").status_code == 200
    assert org.api.get(_path(org, sensor)).status_code == 404
