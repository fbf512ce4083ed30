"""Asset types over HTTP."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

BOILER = {
    "name": "Boiler",
    "description": "Heats water.",
    "isIotDevice": True,
    "keepAlive": 3600,
    "properties": [
        {"key": "Flow", "name": "Flow temperature", "type": "float", "unit": "°C"},
        {"key": "Burner", "name": "Burner on", "type": "boolean"},
    ],
}
SENSORS = {
    "Air quality sensor": {
        "Temperature": ("float", "°C"),
        "Humidity": ("float", "%"),
        "CO2": ("integer", "ppm"),
        "PM2Point5": ("float", "µg/m³"),
        "PM10": ("float", "µg/m³"),
        "TVOC": ("float", "ppb"),
        "HCHO": ("float", "mg/m³"),
        "Pressure": ("float", "hPa"),
    },
    "Water leakage sensor": {"LeakStatus": ("integer", ""), "BatteryLevel": ("integer", "%")},
    "Temperature and humidity sensor": {"Temperature": ("float", "°C"), "Humidity": ("float", "%")},
    "Power socket": {
        "Power": ("float", "W"),
        "Voltage": ("float", "V"),
        "Current": ("float", "A"),
        "Energy": ("float", "kWh"),
    },
    "Door and window sensor": {"DoorStatus": ("integer", ""), "BatteryLevel": ("integer", "%")},
}


def path(organization: Organization, *below: str) -> str:
    return "/".join((f"/v2{organization.path}/asset-types", *below))


def make(organization: Organization, **fields: Any) -> dict[str, Any]:
    answer = organization.api.post(path(organization), json={**BOILER, **fields})
    assert answer.status_code == 201, answer.text
    return data_of(answer)


def refused_fields(answer: httpx.Response) -> list[str]:
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError"), answer.text
    return [detail["field"] for detail in answer.json()["details"]]


def test_a_new_organization_has_the_five_kinds_of_sensors(organization: Organization) -> None:
    listed = organization.api.get(path(organization)).json()
    assert listed["lastEvaluatedKey"] is None
    assert listed["requestId"].startswith("req_")
    found = {
        kind["name"]: {prop["key"]: (prop["type"], prop["unit"]) for prop in kind["properties"]}
        for kind in listed["data"]
    }
    assert found == SENSORS
    assert {(kind["isIotDevice"], kind["keepAlive"]) for kind in listed["data"]} == {(True, 86400)}
    assert all(prop["name"] for kind in listed["data"] for prop in kind["properties"])


def test_a_new_asset_type_can_be_read_and_is_listed(organization: Organization) -> None:
    answer = organization.api.post(path(organization), json=BOILER)
    assert answer.status_code == 201
    kind = data_of(answer)
    assert kind == {
        "id": kind["id"],
        "name": "Boiler",
        "description": "Heats water.",
        "isIotDevice": True,
        "keepAlive": 3600,
        "properties": [
            {"key": "Flow", "name": "Flow temperature", "type": "float", "unit": "°C"},
            {"key": "Burner", "name": "Burner on", "type": "boolean", "unit": ""},
        ],
        "created": kind["created"],
        "updated": kind["created"],
    }
    assert kind["id"].startswith("aty_")
    assert answer.headers["location"] == path(organization, kind["id"])
    assert data_of(organization.api.get(answer.headers["location"])) == kind
    assert data_of(organization.api.get(path(organization)))[0] == kind


def test_only_a_name_is_needed(organization: Organization) -> None:
    kind = data_of(organization.api.post(path(organization), json={"name": "Chair"}))
    assert (kind["description"], kind["isIotDevice"], kind["keepAlive"], kind["properties"]) == (
        None,
        False,
        86400,
        [],
    )


def test_reading_one_may_be_cached(organization: Organization) -> None:
    kind = make(organization)
    first = organization.api.get(path(organization, kind["id"]))
    assert first.headers["cache-control"] == "private, max-age=300"
    again = organization.api.get(
        path(organization, kind["id"]), headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["cache-control"] == "private, max-age=300"
    organization.api.patch(path(organization, kind["id"]), json={"keepAlive": 60})
    changed = organization.api.get(
        path(organization, kind["id"]), headers={"If-None-Match": first.headers["etag"]}
    )
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(
    ("changes", "then"),
    [
        ({"name": "Old boiler"}, {"name": "Old boiler"}),
        ({"description": None}, {"description": None}),
        ({"isIotDevice": False}, {"isIotDevice": False}),
        ({"keepAlive": 1}, {"keepAlive": 1}),
        ({"keepAlive": None}, {"keepAlive": 86400}),
        ({"properties": []}, {"properties": []}),
        ({"properties": None}, {"properties": []}),
        (
            {"properties": [{"key": "Flow", "name": "Flow", "type": "string"}]},
            {"properties": [{"key": "Flow", "name": "Flow", "type": "string", "unit": ""}]},
        ),
        ({}, {}),
    ],
)
def test_a_change_sets_only_the_sent_fields(
    organization: Organization, changes: dict[str, Any], then: dict[str, Any]
) -> None:
    kind = make(organization)
    answer = organization.api.patch(path(organization, kind["id"]), json=changes)
    assert answer.status_code == 200, answer.text
    changed = data_of(answer)
    assert changed == {**kind, **then, "updated": changed["updated"]}
    assert data_of(organization.api.get(path(organization, kind["id"]))) == changed


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": None}, "name"),
        ({"name": ""}, "name"),
        ({"keepAlive": 0}, "keepAlive"),
        ({"keepAlive": 1.5}, "keepAlive"),
        ({"isIotDevice": "yes"}, "isIotDevice"),
        ({"colour": "red"}, "colour"),
        ({"properties": [{"name": "Flow", "type": "float"}]}, "properties[0].key"),
        ({"properties": [{"key": "Flow", "name": "Flow", "type": "double"}]}, "properties[0].type"),
        ({"properties": [{"key": "A", "name": "A", "type": "float", "of": 1}]}, "properties[0].of"),
        (
            {
                "properties": [
                    {"key": "A", "name": "One", "type": "float"},
                    {"key": "B", "name": "Two", "type": "float"},
                    {"key": "A", "name": "Three", "type": "float"},
                ]
            },
            "properties[2].key",
        ),
    ],
)
def test_invalid_values_are_refused(organization: Organization, body: dict[str, Any], field: str) -> None:
    kind = make(organization)
    assert refused_fields(
        organization.api.post(path(organization), json={**BOILER, "name": "Other", **body})
    ) == [field]
    assert refused_fields(organization.api.patch(path(organization, kind["id"]), json=body)) == [field]
    assert data_of(organization.api.get(path(organization, kind["id"]))) == kind


def test_a_name_is_needed(organization: Organization) -> None:
    assert refused_fields(organization.api.post(path(organization), json={})) == ["name"]


def test_a_name_is_unique_within_an_organization(
    new_organization: Callable[..., Organization], organization: Organization
) -> None:
    make(organization)
    second = make(organization, name="Second")
    for answer in (
        organization.api.post(path(organization), json={"name": "Boiler"}),
        organization.api.patch(path(organization, second["id"]), json={"name": "Boiler"}),
    ):
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            "An asset type with this name exists already.",
        )
    make(new_organization())


def test_a_stale_if_match_changes_nothing(organization: Organization) -> None:
    kind = make(organization)
    seen = organization.api.get(path(organization, kind["id"])).headers["etag"]
    assert (
        organization.api.patch(
            path(organization, kind["id"]), json={"name": "B"}, headers={"If-Match": seen}
        ).status_code
        == 200
    )
    for answer in (
        organization.api.patch(
            path(organization, kind["id"]), json={"name": "C"}, headers={"If-Match": seen}
        ),
        organization.api.delete(path(organization, kind["id"]), headers={"If-Match": seen}),
    ):
        assert (answer.status_code, answer.json()["error"]) == (412, "PreconditionFailed")
    assert data_of(organization.api.get(path(organization, kind["id"])))["name"] == "B"


def test_a_deleted_type_is_gone(organization: Organization) -> None:
    kind = make(organization)
    answer = organization.api.delete(path(organization, kind["id"]))
    assert answer.status_code == 200
    assert data_of(answer) == {"deleted": True}
    assert organization.api.get(path(organization, kind["id"])).status_code == 404
    assert organization.api.delete(path(organization, kind["id"])).status_code == 404


def test_a_type_with_assets_cannot_be_deleted(organization: Organization) -> None:
    kind = make(organization)
    asset = organization.created("assets", {"name": "Boiler 1", "assetTypeId": kind["id"]})
    answer = organization.api.delete(path(organization, kind["id"]))
    assert (answer.status_code, answer.json()["message"]) == (
        409,
        "This asset type can't be deleted while assets name it.",
    )
    organization.api.delete(f"{organization.path}/assets/{asset['id']}")
    assert organization.api.delete(path(organization, kind["id"])).status_code == 200


def test_types_of_others_are_not_there(
    new_organization: Callable[..., Organization], organization: Organization
) -> None:
    theirs = make(new_organization())
    for answer in (
        organization.api.get(path(organization, theirs["id"])),
        organization.api.patch(path(organization, theirs["id"]), json={"name": "Mine"}),
        organization.api.delete(path(organization, theirs["id"])),
    ):
        assert (answer.status_code, answer.json()["error"]) == (404, "NotFound")


@pytest.mark.parametrize(
    ("permission", "method", "status"),
    [
        ("assets:read", "GET", 200),
        ("assets:read", "POST", 403),
        ("assets:write", "GET", 403),
        ("assets:write", "POST", 201),
    ],
)
def test_types_follow_the_permissions_of_assets(
    organization: Organization, permission: str, method: str, status: int
) -> None:
    client = organization.client(key=organization.new_key(permission)["secret"])
    body = {"name": "Lamp"} if method == "POST" else None
    assert client.request(method, path(organization), json=body).status_code == status
