"""History over HTTP, from the POST of a reading on."""

import time
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.waiting import wait_for


@pytest.fixture
def sensor(organization: Organization) -> str:
    kind = data_of(
        organization.api.post(
            f"/v2{organization.path}/asset-types",
            json={
                "name": "Window sensor",
                "isIotDevice": True,
                "properties": [
                    {"key": "Temperature", "name": "Room temperature", "type": "float", "unit": "°C"},
                    {"key": "Open", "name": "Window", "type": "boolean"},
                ],
            },
        )
    )
    return organization.created("assets", {"name": "Window 3", "assetTypeId": kind["id"]})["id"]


def _path(organization: Organization, asset_id: str) -> str:
    return f"{organization.path}/assets/{asset_id}/telemetry"


def _report(organization: Organization, asset_id: str, timestamp: int | None = None, **values: Any) -> None:
    body = {"values": values} | ({} if timestamp is None else {"timestamp": timestamp})
    answer = organization.api.post(_path(organization, asset_id), json=body)
    assert answer.is_success, answer.text


def _history(organization: Organization, asset_id: str, **query: Any) -> dict[str, Any]:
    answer = organization.api.get(_path(organization, asset_id), params=query)
    assert answer.status_code == 200, answer.text
    return data_of(answer)


def test_a_reading_shows_in_history_with_its_name_and_unit(organization: Organization, sensor: str) -> None:
    now = int(time.time())
    _report(organization, sensor, now - 60, Temperature=21.4, Open=True)
    _report(organization, sensor, now - 30, Temperature=21.6, Signal=-70)
    found = _history(organization, sensor, **{"from": now - 120, "to": now})
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


def test_charts_default_to_the_last_day_in_500_points(organization: Organization, sensor: str) -> None:
    _report(organization, sensor, Temperature=20)
    found = _history(organization, sensor)
    assert found["to"] - found["from"] == 86_400
    assert found["bucketSeconds"] == 173
    assert [len(each["points"]) for each in found["series"]] == [1, 0]


def test_late_and_duplicate_readings_are_shown_once_in_order(organization: Organization, sensor: str) -> None:
    now = int(time.time())
    for second in (now - 10, now - 30, now - 10, now - 20):
        _report(organization, sensor, second, Temperature=second % 7)
    (found,) = _history(organization, sensor, key="Temperature", **{"from": now - 60, "to": now})["series"]
    assert found["points"] == [_point(second, second % 7) for second in (now - 30, now - 20, now - 10)]


def test_a_window_includes_its_start_and_excludes_its_end(organization: Organization, sensor: str) -> None:
    now = int(time.time())
    for second in (now - 20, now - 10):
        _report(organization, sensor, second, Temperature=1)
    (found,) = _history(organization, sensor, key="Temperature", **{"from": now - 20, "to": now - 10})[
        "series"
    ]
    assert [point["timestamp"] for point in found["points"]] == [now - 20]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"from": 100, "to": 100}, "to"),
        ({"from": 101, "to": 100}, "to"),
        ({"from": -1}, "from"),
        ({"to": "tomorrow"}, "to"),
        ({"resolution": 0}, "resolution"),
        ({"resolution": 2001}, "resolution"),
        ({"key": "a,,b"}, "key"),
        ({"key": ""}, "key"),
        ({"keys": "a"}, "keys"),
    ],
)
def test_a_bad_question_is_refused_by_field(
    organization: Organization, sensor: str, query: Any, field: str
) -> None:
    answer = organization.api.get(_path(organization, sensor), params=query)
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == field


def test_an_unknown_asset_has_no_history(organization: Organization) -> None:
    assert organization.api.get(_path(organization, "ast_none")).status_code == 404


def test_history_of_another_organization_is_not_found(new_organization: Any, sensor: str) -> None:
    other = new_organization()
    assert other.api.get(_path(other, sensor)).status_code == 404


def test_history_needs_the_permission_to_read_telemetry(organization: Organization, sensor: str) -> None:
    lesser = organization.client(key=organization.new_key("assets:read")["secret"])
    assert lesser.get(_path(organization, sensor)).status_code == 403


def test_history_goes_with_its_asset(organization: Organization, sensor: str) -> None:
    _report(organization, sensor, Temperature=20)
    wait_for("the point", lambda: _history(organization, sensor)["series"][0]["points"])
    assert organization.api.delete(f"{organization.path}/assets/{sensor}").status_code == 200
    assert organization.api.get(_path(organization, sensor)).status_code == 404
