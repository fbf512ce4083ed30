"""Many assets from one file."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.organizations import Organization

from steward.assets.model import NewAsset
from steward.assets.rules import refuse_repeated_external_ids
from steward.kit.domain.csv_rows import Rows

HEAD = "name,assetTypeId,locationId,externalId,keepAlive,metadata.serialNumber"


def send(organization: Organization, *lines: str, head: str = HEAD, **query: str) -> httpx.Response:
    text = "\r\n".join((head, *lines, ""))
    return organization.api.post(
        f"{organization.assets.path}/import",
        content=text.encode(),
        headers={"Content-Type": "text/csv"},
        params=query,
    )


def report(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def refusals(answer: httpx.Response) -> list[tuple[str, str]]:
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError"), answer.text
    return [(detail["field"], detail["message"]) for detail in answer.json()["details"]]


def test_rows_become_assets_and_each_is_told(organization: Organization) -> None:
    answer = send(
        organization,
        f"Pump 1,{organization.assets.type_id},{organization.locations.first_id},BMS-1,120,SN-1",
        "",
        f'"Pump, large ""2""",{organization.assets.type_id},,,,',
    )
    assert report(answer) == {"dryRun": False, "rows": 2, "created": 2, "errors": []}
    second, first = organization.api.get(organization.assets.path).json()["data"]
    assert first == {
        "id": first["id"],
        "name": "Pump 1",
        "description": None,
        "externalId": "BMS-1",
        "organizationId": organization.id,
        "assetTypeId": organization.assets.type_id,
        "locationId": organization.locations.first_id,
        "status": "Online",
        "connectionStatus": None,
        "isOnline": None,
        "metadata": {"serialNumber": "SN-1"},
        "lastTelemetry": None,
        "lastSeen": None,
        "keepAlive": 120,
        "created": first["created"],
        "updated": first["created"],
    }
    assert (second["name"], second["externalId"], second["metadata"]) == ('Pump, large "2"', None, {})
    assert organization.assets.names(q="sn-1") == ["Pump 1"]
    told = {event["data"]["object"]["id"]: event for event in organization.events()}
    shown = ("id", "name", "assetTypeId", "locationId", "status", "metadata", "created", "updated")
    assert told == {
        asset["id"]: {
            "id": told[asset["id"]]["id"],
            "type": "asset.created",
            "organizationId": organization.id,
            "created": told[asset["id"]]["created"],
            "data": {"object": {name: asset[name] for name in shown}},
            "livemode": True,
        }
        for asset in (first, second)
    }


def test_an_imported_asset_is_the_same_as_a_created_one(organization: Organization) -> None:
    report(send(organization, f"Pump,{organization.assets.type_id},{organization.locations.first_id},,,SN-1"))
    organization.assets.create(
        "Pump", locationId=organization.locations.first_id, metadata={"serialNumber": "SN-1"}
    )
    created, imported = organization.api.get(organization.assets.path).json()["data"]
    own = ("id", "created", "updated")
    assert {n: v for n, v in created.items() if n not in own} == {
        n: v for n, v in imported.items() if n not in own
    }
    answer = organization.api.patch(organization.assets.path_of(imported["id"]), json={"name": "Changed"})
    assert answer.json()["data"] == {
        **imported,
        "name": "Changed",
        "updated": answer.json()["data"]["updated"],
    }


def test_everything_wrong_is_named_by_line_and_nothing_is_made(
    new_organization: Callable[..., Organization], organization: Organization
) -> None:
    theirs = new_organization()
    organization.assets.create(externalId="BMS-1")
    lines = (
        f"Fine,{organization.assets.type_id},,,,",
        f",{organization.assets.type_id},,,,",
        f"Pump,{theirs.assets.type_id},{theirs.locations.first_id},,,",
        f"Pump,{organization.assets.type_id},,BMS-1,,",
        f"Pump,{organization.assets.type_id},,BMS-2,,",
        f"Pump,{organization.assets.type_id},,BMS-2,,",
        f"Pump,{organization.assets.type_id},,,soon,",
        "Pump",
        f"Pump,{organization.assets.type_id},,,0,",
    )
    wrong = [
        (3, "name", "is required"),
        (4, "assetTypeId", "names no asset type of this organization"),
        (4, "locationId", "names no location of this organization"),
        (5, "externalId", "belongs to another asset already"),
        (7, "externalId", "stands in line 6 already"),
        (8, "keepAlive", "expected `int | null`, got `str`"),
        (9, "", "has 1 cells instead of 6"),
        (10, "keepAlive", "expected `int` >= 1"),
    ]
    tried = report(send(organization, *lines, dryRun="true"))
    assert tried == {
        "dryRun": True,
        "rows": 9,
        "created": 0,
        "errors": [{"line": line, "field": field, "message": message} for line, field, message in wrong],
    }
    assert refusals(send(organization, *lines)) == [
        (f"line {line}: {field}", message) for line, field, message in wrong
    ]
    assert organization.assets.names() == ["Pump 1"]
    assert len(organization.events()) == 1


def test_a_dry_run_makes_nothing(organization: Organization) -> None:
    lines = [f"Pump {number},{organization.assets.type_id},,,," for number in range(3)]
    assert report(send(organization, *lines, dryRun="true")) == {
        "dryRun": True,
        "rows": 3,
        "created": 3,
        "errors": [],
    }
    assert organization.assets.names() == []
    assert organization.events() == []


@pytest.mark.parametrize(
    ("head", "field", "message"),
    [
        ("name,assetTypeId,colour", "colour", "is not a column that this takes"),
        ("name,assetTypeId,status", "status", "is set by alert rules and can't be set by callers"),
        ("name", "assetTypeId", "is a column that must be there"),
        ("name,assetTypeId,name", "", "A column is named twice."),
        ("name,assetTypeId,metadata,metadata.model", "metadata.model", "is a part of another column"),
    ],
)
def test_a_head_that_can_not_be_is_refused(
    organization: Organization, head: str, field: str, message: str
) -> None:
    assert refusals(send(organization, "Pump,x,y,z", head=head)) == [(field, message)]


def test_an_empty_file_is_refused(organization: Organization) -> None:
    assert refusals(send(organization, head="")) == [("name", "is a column that must be there")]


def test_an_import_takes_csv_only(organization: Organization) -> None:
    assert organization.api.post(f"{organization.assets.path}/import", json={}).status_code == 415


def test_an_import_needs_the_permission_to_write(organization: Organization) -> None:
    client = organization.client(key=organization.new_key("assets:read")["secret"])
    answer = client.post(
        f"{organization.assets.path}/import", content=HEAD, headers={"Content-Type": "text/csv"}
    )
    assert answer.status_code == 403


def test_a_repeated_key_imports_once(organization: Organization) -> None:
    text = f"name,assetTypeId\r\nPump,{organization.assets.type_id}\r\n"
    headers = {"Content-Type": "text/csv", "Idempotency-Key": "import-1"}
    answers = [
        organization.api.post(f"{organization.assets.path}/import", content=text, headers=headers)
        for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["idempotent-replayed"] == "true"
    assert organization.assets.names() == ["Pump"]


def test_of_two_imports_of_one_file_at_once_one_is_made(organization: Organization) -> None:
    lines = [f"Pump {number},{organization.assets.type_id},,BMS-{number},," for number in range(600)]
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda _: send(organization, *lines).status_code, range(2)))
    # The later one learns of the other's externalIds by looking, or when it writes.
    assert min(answers) == 200
    assert max(answers) in {409, 422}
    assert len(organization.api.get(f"{organization.assets.path}.ndjson").text.splitlines()) == 600


def test_ten_thousand_rows_are_one_import(organization: Organization) -> None:
    lines = [f"P{number},{organization.assets.type_id},,B{number},," for number in range(10_000)]
    assert report(send(organization, *lines))["created"] == 10_000
    lines = organization.api.get(f"{organization.assets.path}.ndjson").text.splitlines()
    assert len(lines) == 10_000
    answer = send(organization, *(f"Q{number},{organization.assets.type_id},,,," for number in range(10_001)))
    assert refusals(answer) == [("", "The file has more than 10000 rows; send it in parts.")]


@given(st.lists(st.none() | st.sampled_from(["A", "B", "C"]), max_size=12))
def test_every_later_use_of_an_external_id_is_named(external_ids: list[str | None]) -> None:
    rows: Rows[NewAsset] = Rows()
    for line, external_id in enumerate(external_ids, start=2):
        rows.by_line[line] = NewAsset(name="P", asset_type_id="aty_1", external_id=external_id)
    refuse_repeated_external_ids(rows)
    assert [(error.line, error.message) for error in rows.errors] == [
        (line, f"stands in line {external_ids.index(external_id) + 2} already")
        for line, external_id in enumerate(external_ids, start=2)
        if external_id is not None and external_id in external_ids[: line - 2]
    ]
