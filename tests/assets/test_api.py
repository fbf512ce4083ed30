"""Assets over HTTP."""

import csv
import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import msgspec
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization


def refused_fields(answer: httpx.Response) -> list[str]:
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError"), answer.text
    return [detail["field"] for detail in answer.json()["details"]]


def test_a_new_asset_can_be_read_and_is_listed(organization: Organization) -> None:
    answer = organization.api.post(
        organization.assets.path,
        json={
            "name": "Pump 1",
            "description": "Circulates.",
            "externalId": "BMS-1",
            "assetTypeId": organization.assets.type_id,
            "locationId": organization.locations.first_id,
            "metadata": {"manufacturer": "Grundfos", "serialNumber": "SN-77", "year": 2020},
            "keepAlive": 120,
        },
    )
    assert answer.status_code == 201
    asset = data_of(answer)
    assert asset == {
        "id": asset["id"],
        "name": "Pump 1",
        "description": "Circulates.",
        "externalId": "BMS-1",
        "organizationId": organization.id,
        "assetTypeId": organization.assets.type_id,
        "locationId": organization.locations.first_id,
        "status": "Online",
        "connectionStatus": None,
        "isOnline": None,
        "metadata": {"manufacturer": "Grundfos", "serialNumber": "SN-77", "year": 2020},
        "lastTelemetry": None,
        "lastSeen": None,
        "keepAlive": 120,
        "archivedAt": None,
        "created": asset["created"],
        "updated": asset["created"],
    }
    assert asset["id"].startswith("ast_")
    assert answer.headers["location"] == organization.assets.path_of(asset["id"])
    read = organization.api.get(answer.headers["location"])
    assert read.json() == {"data": asset}
    assert read.headers["etag"] == answer.headers["etag"]
    assert organization.api.get(organization.assets.path).json() == {
        "data": [asset],
        "lastEvaluatedKey": None,
    }


def test_name_and_type_are_enough(organization: Organization) -> None:
    asset = organization.assets.create()
    assert (asset["description"], asset["externalId"], asset["locationId"]) == (None, None, None)
    assert asset["metadata"] == {}


def test_an_asset_without_a_keep_alive_inherits_that_of_its_type(organization: Organization) -> None:
    asset, own = organization.assets.create(), organization.assets.create("Own", keepAlive=600)
    assert (asset["keepAlive"], own["keepAlive"]) == (600, 600)
    organization.api.patch(
        f"/v2{organization.path}/asset-types/{organization.assets.type_id}", json={"keepAlive": 900}
    )
    assert data_of(organization.api.get(organization.assets.path_of(asset["id"])))["keepAlive"] == 900
    listed = {
        each["name"]: each["keepAlive"] for each in data_of(organization.api.get(organization.assets.path))
    }
    assert listed == {"Pump 1": 900, "Own": 600}


def test_an_asset_can_override_the_keep_alive_and_drop_it_again(organization: Organization) -> None:
    asset, other = organization.assets.create(), organization.asset_types.create("Fan", keepAlive=50)["id"]

    def change(**changes: Any) -> int:
        answer = organization.api.patch(organization.assets.path_of(asset["id"]), json=changes)
        read = organization.api.get(organization.assets.path_of(asset["id"]))
        assert (answer.json(), answer.headers["etag"]) == (read.json(), read.headers["etag"])
        return int(data_of(read)["keepAlive"])

    # 600 is what the type says, too; as the asset's own it outlives a change of type.
    assert change(keepAlive=600) == 600
    assert change(assetTypeId=other) == 600
    assert change(keepAlive=None) == 50
    assert change(keepAlive=70) == 70
    assert change(keepAlive=None) == 50
    assert change(assetTypeId=organization.assets.type_id) == 600


@pytest.mark.parametrize(
    ("changes", "then"),
    [
        ({"name": "Pump 2"}, {"name": "Pump 2"}),
        ({"description": "Old."}, {"description": "Old."}),
        ({"description": None}, {"description": None}),
        ({"externalId": None}, {"externalId": None}),
        ({"externalId": "BMS-2"}, {"externalId": "BMS-2"}),
        ({"locationId": None}, {"locationId": None}),
        ({"metadata": {"model": "X"}}, {"metadata": {"model": "X"}}),
        ({"metadata": None}, {"metadata": {}}),
        ({}, {}),
    ],
)
def test_a_change_sets_only_the_sent_fields(
    organization: Organization, changes: dict[str, Any], then: dict[str, Any]
) -> None:
    asset = organization.assets.create(
        description="New.", externalId="BMS-1", locationId=organization.locations.first_id, metadata={"a": 1}
    )
    answer = organization.api.patch(organization.assets.path_of(asset["id"]), json=changes)
    assert answer.status_code == 200, answer.text
    changed = data_of(answer)
    assert changed == {**asset, **then, "updated": changed["updated"]}
    assert data_of(organization.api.get(organization.assets.path_of(asset["id"]))) == changed


SET_BY_OTHERS = [
    ("status", "Normal", "alert rules"),
    ("connectionStatus", True, "connectivity"),
    ("isOnline", None, "connectivity"),
    ("lastTelemetry", {}, "readings"),
    ("lastSeen", 1767225600, "readings"),
]


@pytest.mark.parametrize(("field", "value", "by"), SET_BY_OTHERS)
def test_the_status_of_an_asset_cannot_be_set(
    organization: Organization, field: str, value: Any, by: str
) -> None:
    asset = organization.assets.create()
    for answer in (
        organization.api.post(
            organization.assets.path,
            json={"name": "P", "assetTypeId": organization.assets.type_id, field: value},
        ),
        organization.api.patch(organization.assets.path_of(asset["id"]), json={field: value}),
    ):
        assert refused_fields(answer) == [field]
        assert by in answer.json()["message"]
    assert data_of(organization.api.get(organization.assets.path)) == [asset]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": None}, "name"),
        ({"name": " "}, "name"),
        ({"assetTypeId": None}, "assetTypeId"),
        ({"assetTypeId": "aty_nothing"}, "assetTypeId"),
        ({"locationId": "loc_nothing"}, "locationId"),
        ({"externalId": ""}, "externalId"),
        ({"metadata": []}, "metadata"),
        ({"keepAlive": 0}, "keepAlive"),
        ({"serialNumber": "SN-1"}, "serialNumber"),
        ({"organizationId": "org_1"}, "organizationId"),
    ],
)
def test_invalid_values_are_refused(organization: Organization, body: dict[str, Any], field: str) -> None:
    asset = organization.assets.create()
    new = {"name": "Pump 2", "assetTypeId": organization.assets.type_id, **body}
    assert refused_fields(organization.api.post(organization.assets.path, json=new)) == [field]
    assert refused_fields(organization.api.patch(organization.assets.path_of(asset["id"]), json=body)) == [
        field
    ]
    assert data_of(organization.api.get(organization.assets.path)) == [asset]


@pytest.mark.parametrize("missing", ["name", "assetTypeId"])
def test_name_and_type_are_needed(organization: Organization, missing: str) -> None:
    body = {"name": "Pump", "assetTypeId": organization.assets.type_id}
    del body[missing]
    assert refused_fields(organization.api.post(organization.assets.path, json=body)) == [missing]


def test_records_of_other_organizations_cannot_be_referenced(
    new_organization: Callable[..., Organization], organization: Organization
) -> None:
    theirs = new_organization()
    asset = organization.assets.create()
    for field, value in (("assetTypeId", theirs.assets.type_id), ("locationId", theirs.locations.first_id)):
        new = {"name": "Pump 2", "assetTypeId": organization.assets.type_id, field: value}
        assert refused_fields(organization.api.post(organization.assets.path, json=new)) == [field]
        assert refused_fields(
            organization.api.patch(organization.assets.path_of(asset["id"]), json={field: value})
        ) == [field]


def test_assets_of_other_organizations_are_not_found(
    new_organization: Callable[..., Organization], organization: Organization
) -> None:
    theirs = new_organization().assets.create()
    for answer in (
        organization.api.get(organization.assets.path_of(theirs["id"])),
        organization.api.patch(organization.assets.path_of(theirs["id"]), json={"name": "Mine"}),
        organization.api.delete(organization.assets.path_of(theirs["id"])),
    ):
        assert (answer.status_code, answer.json()["error"]) == (404, "NotFound")
    assert organization.assets.names() == []


def test_an_external_id_is_unique_within_an_organization(
    new_organization: Callable[..., Organization], organization: Organization
) -> None:
    organization.assets.create(externalId="BMS-1")
    second = organization.assets.create("Pump 2")
    for answer in (
        organization.api.post(
            organization.assets.path,
            json={"name": "P", "assetTypeId": organization.assets.type_id, "externalId": "BMS-1"},
        ),
        organization.api.patch(organization.assets.path_of(second["id"]), json={"externalId": "BMS-1"}),
    ):
        assert (answer.status_code, answer.json()["message"]) == (
            409,
            "An asset with this externalId exists already.",
        )
    new_organization().assets.create(externalId="BMS-1")


def test_one_of_two_concurrent_claims_of_an_external_id_succeeds(organization: Organization) -> None:
    body = {"name": "Pump", "assetTypeId": organization.assets.type_id, "externalId": "BMS-1"}
    with ThreadPoolExecutor(4) as threads:
        answers = list(
            threads.map(
                lambda _: organization.api.post(organization.assets.path, json=body).status_code, range(4)
            )
        )
    assert sorted(answers) == [201, 409, 409, 409]


def test_a_stale_if_match_changes_nothing(organization: Organization) -> None:
    asset = organization.assets.create()
    seen = organization.api.get(organization.assets.path_of(asset["id"])).headers["etag"]
    fresh = organization.api.patch(
        organization.assets.path_of(asset["id"]), json={"name": "B"}, headers={"If-Match": seen}
    )
    assert fresh.status_code == 200
    for answer in (
        organization.api.patch(
            organization.assets.path_of(asset["id"]), json={"name": "C"}, headers={"If-Match": seen}
        ),
        organization.api.delete(organization.assets.path_of(asset["id"]), headers={"If-Match": seen}),
    ):
        assert (answer.status_code, answer.json()["error"]) == (412, "PreconditionFailed")
    assert organization.assets.names() == ["B"]
    gone = organization.api.delete(
        organization.assets.path_of(asset["id"]), headers={"If-Match": fresh.headers["etag"]}
    )
    assert gone.status_code == 200


def test_a_deleted_asset_is_gone(organization: Organization) -> None:
    asset = organization.assets.create()
    answer = organization.api.delete(organization.assets.path_of(asset["id"]))
    assert (answer.status_code, answer.json()) == (200, {"data": {"deleted": True}})
    assert organization.api.get(organization.assets.path_of(asset["id"])).status_code == 404
    assert organization.api.delete(organization.assets.path_of(asset["id"])).status_code == 404


def test_a_location_with_assets_cannot_be_deleted(organization: Organization) -> None:
    asset = organization.assets.create(locationId=organization.locations.first_id)
    place = f"{organization.path}/locations/{organization.locations.first_id}"
    answer = organization.api.delete(place)
    assert (answer.status_code, answer.json()["message"]) == (
        409,
        "This location can't be deleted while assets name it; archive it instead.",
    )
    organization.api.patch(organization.assets.path_of(asset["id"]), json={"locationId": None})
    assert organization.api.delete(place).status_code == 200


def test_a_list_can_be_narrowed(organization: Organization) -> None:
    fan = organization.asset_types.create("Fan")["id"]
    organization.assets.create("Pump A", externalId="BMS-1", locationId=organization.locations.first_id)
    organization.assets.create("Pump B", metadata={"serialNumber": "SN-4711"})
    organization.assets.create("Fan C", assetTypeId=fan, metadata={"serialNumber": 90210, "model": "Pump"})
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["Fan C", "Pump B", "Pump A"]),
        ({"assetTypeId": fan}, ["Fan C"]),
        ({"assetTypeId": "aty_nothing"}, []),
        ({"locationId": organization.locations.first_id}, ["Pump A"]),
        ({"status": "Online"}, ["Fan C", "Pump B", "Pump A"]),
        ({"status": "Critical"}, []),
        ({"connectionStatus": "true"}, []),
        ({"connectionStatus": "false"}, []),
        ({"externalId": "BMS-1"}, ["Pump A"]),
        ({"externalId": "BMS"}, []),
        ({"q": "pump"}, ["Pump B", "Pump A"]),
        ({"q": "ms-1"}, ["Pump A"]),
        ({"q": "sn-47"}, ["Pump B"]),
        ({"q": "90210"}, ["Fan C"]),
        ({"q": "pump 4711"}, ["Pump B"]),
        ({"q": "pump", "locationId": organization.locations.first_id, "status": "Online"}, ["Pump A"]),
        ({"updatedAfter": 0}, ["Fan C", "Pump B", "Pump A"]),
        ({"updatedAfter": 253402300799}, []),
    ]
    for query, names in cases:
        assert organization.assets.names(**query) == names, query


@pytest.mark.parametrize(
    "query", [{"status": "Broken"}, {"connectionStatus": "maybe"}, {"updatedAfter": "now"}, {"q": "a" * 201}]
)
def test_meaningless_filters_are_refused(organization: Organization, query: dict[str, str]) -> None:
    assert refused_fields(organization.api.get(organization.assets.path, params=query)) == list(query)


def test_a_search_follows_changes(organization: Organization) -> None:
    asset = organization.assets.create(metadata={"serialNumber": "SN-1"})
    organization.api.patch(
        organization.assets.path_of(asset["id"]), json={"metadata": {"serialNumber": "SN-2"}}
    )
    assert (organization.assets.names(q="sn-1"), organization.assets.names(q="sn-2")) == ([], ["Pump 1"])
    organization.api.patch(organization.assets.path_of(asset["id"]), json={"name": "Fan 1"})
    assert (organization.assets.names(q="pump"), organization.assets.names(q="fan")) == ([], ["Fan 1"])


def test_pages_follow_each_other(organization: Organization) -> None:
    made = [organization.assets.create(f"Pump {number}")["name"] for number in range(5)]
    first = organization.api.get(organization.assets.path, params={"limit": 3}).json()
    rest = organization.api.get(
        organization.assets.path, params={"limit": 3, "lastEvaluatedKey": first["lastEvaluatedKey"]}
    ).json()
    assert [asset["name"] for asset in first["data"] + rest["data"]] == made[::-1]
    assert rest["lastEvaluatedKey"] is None


def test_the_whole_list_can_be_exported(organization: Organization) -> None:
    organization.assets.create("Pump A", metadata={"serialNumber": "SN-1"})
    organization.assets.create("Pump B", locationId=organization.locations.first_id)
    listed = data_of(organization.api.get(organization.assets.path))
    lines = organization.api.get(f"{organization.assets.path}.ndjson").text.splitlines()
    assert [msgspec.json.decode(line) for line in lines] == listed
    table = csv.DictReader(io.StringIO(organization.api.get(f"{organization.assets.path}.csv?q=pump").text))
    assert [(row["name"], row["organizationId"], row["isOnline"], row["metadata"]) for row in table] == [
        ("Pump B", organization.id, "", "{}"),
        ("Pump A", organization.id, "", '{"serialNumber":"SN-1"}'),
    ]


@pytest.mark.parametrize(
    ("permission", "method", "status"),
    [
        ("assets:read", "GET", 200),
        ("assets:read", "POST", 403),
        ("assets:write", "GET", 403),
        ("assets:write", "POST", 201),
        ("iot:read", "GET", 403),
    ],
)
def test_each_permission_opens_its_own_pages(
    organization: Organization, permission: str, method: str, status: int
) -> None:
    client = organization.client(key=organization.new_key(permission)["secret"])
    body = {"name": "P", "assetTypeId": organization.assets.type_id} if method == "POST" else None
    assert client.request(method, organization.assets.path, json=body).status_code == status


def test_the_etag_of_an_answer_is_valid_for_the_next_change(organization: Organization) -> None:
    metadata = {"serialNumber": "SN-1", "b": {"z": 1, "a": [{"y": 1, "x": 2}]}, "a": 1.5}
    answer = organization.api.post(
        organization.assets.path,
        json={"name": "P", "assetTypeId": organization.assets.type_id, "metadata": metadata},
    )
    one = answer.headers["location"]
    for change in (
        {"metadata": {"zz": 1, "b": 2, "a": 3}},
        {"name": "Q"},
        {"keepAlive": 5},
        {"keepAlive": None},
    ):
        answer = organization.api.patch(one, json=change, headers={"If-Match": answer.headers["etag"]})
        assert answer.status_code == 200, change
