"""Many assets from one file."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

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
    return data_of(answer)


def refusals(answer: httpx.Response) -> list[tuple[str, str]]:
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError"), answer.text
    return [(detail["field"], detail["message"]) for detail in answer.json()["details"]]


def test_each_imported_row_becomes_an_asset_with_an_event(organization: Organization) -> None:
    answer = send(
        organization,
        f"Pump 1,{organization.assets.type_id},{organization.locations.first_id},BMS-1,120,SN-1",
        "",
        f'"Pump, large ""2""",{organization.assets.type_id},,,,',
    )
    assert report(answer) == {
        "dryRun": False,
        "rows": 2,
        "created": 2,
        "changed": 0,
        "unchanged": 0,
        "errors": [],
    }
    second, first = data_of(organization.api.get(organization.assets.path))
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
        "archivedAt": None,
        "created": first["created"],
        "updated": first["created"],
    }
    assert (second["name"], second["externalId"], second["metadata"]) == ('Pump, large "2"', None, {})
    assert organization.assets.names(q="sn-1") == ["Pump 1"]
    told = {event["data"]["object"]["id"]: event for event in organization.events(type="asset.created")}
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
    created, imported = data_of(organization.api.get(organization.assets.path))
    own = ("id", "created", "updated")
    assert {n: v for n, v in created.items() if n not in own} == {
        n: v for n, v in imported.items() if n not in own
    }
    answer = organization.api.patch(organization.assets.path_of(imported["id"]), json={"name": "Changed"})
    assert data_of(answer) == {
        **imported,
        "name": "Changed",
        "updated": data_of(answer)["updated"],
    }


def test_all_errors_are_reported_by_line_and_nothing_is_created(
    new_organization: Callable[..., Organization], organization: Organization
) -> None:
    theirs = new_organization()
    organization.assets.create(externalId="BMS-1")
    lines = (
        f"Fine,{organization.assets.type_id},,,,",
        f",{organization.assets.type_id},,,,",
        f"Pump,{theirs.assets.type_id},{theirs.locations.first_id},,,",
        f"Pump,{organization.assets.type_id},loc_no,BMS-1,,",
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
        (5, "locationId", "names no location of this organization"),
        (7, "externalId", "stands in line 6 already"),
        (8, "keepAlive", "must be a whole number"),
        (9, "", "has 1 cells instead of 6"),
        (10, "keepAlive", "must be from 1 to 31536000"),
    ]
    tried = report(send(organization, *lines, dryRun="true"))
    assert tried == {
        "dryRun": True,
        "rows": 9,
        "created": 0,
        "changed": 0,
        "unchanged": 0,
        "errors": [{"line": line, "field": field, "message": message} for line, field, message in wrong],
    }
    assert refusals(send(organization, *lines)) == [
        (f"line {line}: {field}", message) for line, field, message in wrong
    ]
    assert organization.assets.names() == ["Pump 1"]
    assert len(organization.events(type="asset.*")) == 1


def test_a_dry_run_makes_nothing(organization: Organization) -> None:
    lines = [f"Pump {number},{organization.assets.type_id},,,," for number in range(3)]
    assert report(send(organization, *lines, dryRun="true")) == {
        "dryRun": True,
        "rows": 3,
        "created": 3,
        "changed": 0,
        "unchanged": 0,
        "errors": [],
    }
    assert organization.assets.names() == []
    assert organization.events(type="asset.*") == []


@pytest.mark.parametrize(
    ("head", "field", "message"),
    [
        ("name,assetTypeId,colour", "colour", "is not a column that this takes"),
        ("name", "assetTypeId", "is a column that must be there"),
        ("name,assetTypeId,name", "", "A column is named twice."),
        ("name,assetTypeId,metadata,metadata.model", "metadata.model", "is a part of another column"),
    ],
)
def test_an_invalid_request_head_is_refused(
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


def test_concurrent_imports_create_each_row_once(organization: Organization) -> None:
    lines = [f"Pump {number},{organization.assets.type_id},,BMS-{number},," for number in range(600)]
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda _: send(organization, *lines).status_code, range(2)))
    # The later one finds what the other has made, or meets it when it writes.
    assert min(answers) == 200
    assert max(answers) in {200, 409}
    assert len(organization.api.get(f"{organization.assets.path}.ndjson").text.splitlines()) == 600


def test_ten_thousand_rows_are_one_import(organization: Organization) -> None:
    lines = [f"P{number},{organization.assets.type_id},,B{number},," for number in range(10_000)]
    assert report(send(organization, *lines))["created"] == 10_000
    lines = organization.api.get(f"{organization.assets.path}.ndjson").text.splitlines()
    assert len(lines) == 10_000
    answer = send(organization, *(f"Q{number},{organization.assets.type_id},,,," for number in range(10_001)))
    assert refusals(answer) == [("", "The file has more than 10000 rows; send it in parts.")]


def exported(organization: Organization) -> str:
    return organization.api.get(f"{organization.path}/assets.csv").text


def send_file(organization: Organization, text: str, **query: str) -> httpx.Response:
    head, *lines = text.removesuffix("\r\n").split("\r\n")
    return send(organization, *lines, head=head, **query)


def test_an_export_comes_back_unchanged_and_then_changed(organization: Organization) -> None:
    """Whatever stands in it: formulas, empty texts, quotes, objects, and a window that is the type's."""
    names = ["=1+1", "'=1", "''+2", "'plain", 'Pump "2", large', "-5", "Zeile 1\nZeile 2"]
    made = [
        organization.assets.create(
            name, externalId=f"A-{number}", description="", metadata={"n": number, "o": {"x": [1.5, None]}}
        )
        for number, name in enumerate(names)
    ]
    organization.devices.create("Sensor", keepAlive=60)
    before, told, text = organization.assets.listed(), len(organization.events()), exported(organization)
    nothing = {"created": 0, "changed": 0, "unchanged": 8, "rows": 8, "errors": []}
    for dry_run in ("true", "false"):
        found = report(send_file(organization, text, dryRun=dry_run))
        assert found == {**nothing, "dryRun": dry_run == "true"}
    assert organization.assets.listed() == before
    edited = text.replace('Pump ""2"", large', "Pump 3").replace("A-0", "B-0")
    added = f",New,,N-1,,{organization.assets.type_id}"
    edited += added.ljust(len(added) + text.partition("\r\n")[0].count(",") - added.count(","), ",") + "\r\n"
    found = report(send_file(organization, edited, dryRun="true"))
    assert (found["created"], found["changed"], found["unchanged"]) == (1, 2, 6)
    assert organization.assets.listed() == before
    assert report(send_file(organization, edited)) == {**found, "dryRun": False}
    after = {asset["id"]: asset for asset in organization.assets.listed()}
    assert after[made[4]["id"]]["name"] == "Pump 3"
    assert after[made[0]["id"]]["externalId"] == "B-0"
    assert after[made[1]["id"]] == made[1]
    new = organization.events()[told:]
    assert sorted(event["type"] for event in new) == ["asset.created", "asset.updated", "asset.updated"]
    previous = [event["data"].get("previousAttributes") for event in new]
    assert {"name": 'Pump "2", large'} in previous
    assert {"externalId": "A-0"} in previous


def test_rows_change_only_their_columns(organization: Organization) -> None:
    pump = organization.assets.create("Pump", externalId="A", description="Old", metadata={"a": 1, "b": 2})
    other = organization.assets.create("Other", externalId="B", locationId=organization.locations.first_id)
    head = "id,externalId,description,metadata.b,metadata.c"
    answer = send(organization, f"{pump['id']},A,,,new", f",B,{'Found'},,", head=head)
    assert report(answer)["changed"] == 2
    changed = organization.assets.read(pump)
    assert (changed["name"], changed["description"], changed["metadata"]) == (
        "Pump",
        None,
        {"a": 1, "c": "new"},
    )
    found = organization.assets.read(other)
    assert (found["description"], found["locationId"]) == ("Found", organization.locations.first_id)
    assert organization.assets.names(q="pump") == ["Pump"]


def test_rows_that_name_nothing_or_the_same_are_refused(organization: Organization) -> None:
    pump, other = (
        organization.assets.create("P", externalId="A"),
        organization.assets.create("O", externalId="B"),
    )
    lines = ("ast_no,,x", f"{pump['id']},B,x", f"{pump['id']},A,x", ",A,x", f"{other['id']},,", ",N,x")
    answer = send(organization, *lines, head="id,externalId,name")
    assert refusals(answer) == [
        ("line 2: id", "names no asset that is here"),
        ("line 3: externalId", "belongs to another asset already"),
        ("line 5: externalId", "stands in line 4 already"),
        ("line 6: name", "is required"),
        ("line 7: assetTypeId", "is required"),
    ]
    assert sorted(organization.assets.names()) == ["O", "P"]


def test_an_own_window_is_set_cleared_and_left_alone(organization: Organization) -> None:
    pump = organization.assets.create("Pump", externalId="A")
    own = "SELECT keep_alive FROM assets WHERE organization_id = $1"
    for cell, expected, changed in (
        ("", None, 0),
        ("600", None, 0),
        ("60", 60, 1),
        ("60", 60, 0),
        ("", None, 1),
    ):
        found = report(send(organization, f"A,{cell}", head="externalId,keepAlive"))
        assert (cell, found["changed"]) == (cell, changed)
        assert organization.sql(own, organization.id)[0][0] == expected
    assert organization.assets.read(pump)["keepAlive"] == pump["keepAlive"]
