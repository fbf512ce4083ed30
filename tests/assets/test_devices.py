"""What readings and checks write into an asset, as people see it. They write to the table, and so do these tests."""

import msgspec
from tests.support.answers import data_of
from tests.support.databases import fetch
from tests.support.organizations import Organization


def report(organization: Organization, asset_id: str, *, connected: bool, status: str) -> None:
    organization.sql(
        """UPDATE assets SET connection_status = $3, status = $4, last_telemetry = $5, last_seen = 1767225600
           WHERE organization_id = $1 AND id = $2""",
        organization.id,
        asset_id,
        connected,
        status,
        msgspec.json.encode({"Temperature": 21.5}).decode(),
    )


def test_an_asset_shows_what_its_device_reported(organization: Organization) -> None:
    asset = organization.assets.create()
    report(organization, asset["id"], connected=True, status="Warning")
    seen = {
        **asset,
        "connectionStatus": True,
        "isOnline": True,
        "status": "Warning",
        "lastTelemetry": {"Temperature": 21.5},
        "lastSeen": 1767225600,
    }
    assert data_of(organization.api.get(organization.assets.path_of(asset["id"]))) == seen
    assert data_of(organization.api.get(organization.assets.path)) == [seen]


def test_editing_an_asset_keeps_its_device_readings(organization: Organization) -> None:
    asset = organization.assets.create()
    report(organization, asset["id"], connected=False, status="Critical")
    before = data_of(organization.api.get(organization.assets.path_of(asset["id"])))
    answer = organization.api.patch(
        organization.assets.path_of(asset["id"]), json={"name": "Renamed", "description": "Moved."}
    )
    assert data_of(answer) == {
        **before,
        "name": "Renamed",
        "description": "Moved.",
        "updated": data_of(answer)["updated"],
    }
    assert organization.api.get(organization.assets.path_of(asset["id"])).json() == answer.json()


def test_lists_can_be_filtered_for_problems(organization: Organization) -> None:
    for name, connected, status in (("A", True, "Normal"), ("B", False, "Warning"), ("C", True, "Critical")):
        report(organization, organization.assets.create(name)["id"], connected=connected, status=status)
    organization.assets.create("D")
    assert organization.assets.names(connectionStatus="true") == ["C", "A"]
    assert organization.assets.names(connectionStatus="false") == ["B"]
    assert [
        organization.assets.names(status=status) for status in ("Online", "Normal", "Warning", "Critical")
    ] == [
        ["D"],
        ["A"],
        ["B"],
        ["C"],
    ]


def test_no_index_holds_what_every_reading_writes(database_url: str) -> None:
    rows = fetch(
        database_url,
        """SELECT DISTINCT a.attname FROM pg_index i
           JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
           WHERE i.indrelid = 'assets'::regclass""",
    )
    indexed = {row["attname"] for row in rows}
    assert "external_id" in indexed
    assert not indexed & {"last_telemetry", "last_seen"}


def tag_of(organization: Organization, asset_id: str) -> str:
    return organization.api.get(organization.assets.path_of(asset_id)).headers["etag"]


def read_again(organization: Organization, asset_id: str, tag: str) -> int:
    return organization.api.get(
        organization.assets.path_of(asset_id), headers={"If-None-Match": tag}
    ).status_code


def test_a_reading_changes_the_etag_for_readers_but_not_for_writers(
    organization: Organization,
) -> None:
    asset = organization.assets.create()
    report(organization, asset["id"], connected=True, status="Normal")
    seen = tag_of(organization, asset["id"])
    assert read_again(organization, asset["id"], seen) == 304
    organization.sql(
        "UPDATE assets SET last_seen = last_seen + 60 WHERE id = $1",
        asset["id"],
    )
    later = tag_of(organization, asset["id"])
    assert later != seen
    assert read_again(organization, asset["id"], seen) == 200
    assert read_again(organization, asset["id"], later) == 304
    answer = organization.api.patch(
        organization.assets.path_of(asset["id"]), json={"name": "B"}, headers={"If-Match": seen}
    )
    assert answer.status_code == 200
    assert data_of(answer)["lastSeen"] == 1767225660
    for known in (seen, later):
        for method in ("PATCH", "DELETE"):
            json = {"name": "C"} if method == "PATCH" else None
            refused = organization.api.request(
                method, organization.assets.path_of(asset["id"]), json=json, headers={"If-Match": known}
            )
            assert refused.status_code == 412
    organization.sql("UPDATE assets SET last_telemetry = '{}' WHERE id = $1", asset["id"])
    tag = answer.headers["etag"]
    assert (
        organization.api.delete(
            organization.assets.path_of(asset["id"]), headers={"If-Match": tag}
        ).status_code
        == 200
    )


def test_changing_a_device_needs_its_current_status(organization: Organization) -> None:
    asset = organization.assets.create()
    seen = tag_of(organization, asset["id"])
    report(organization, asset["id"], connected=True, status="Warning")
    answer = organization.api.patch(
        organization.assets.path_of(asset["id"]), json={"name": "B"}, headers={"If-Match": seen}
    )
    assert answer.status_code == 412


def test_a_partial_etag_does_not_match(organization: Organization) -> None:
    asset = organization.assets.create()
    lasting, _, moving = tag_of(organization, asset["id"]).strip('"').partition(".")
    assert len(lasting) == len(moving) == 24
    for known in (
        f'"{lasting}"',
        f'"{moving}"',
        f'".{moving}"',
        f'"{lasting[:-1]}.{moving}"',
        f'W/"{lasting}.{moving}"',
        f"{lasting}.{moving}",
        f'"{lasting}.{moving}',
    ):
        answer = organization.api.patch(
            organization.assets.path_of(asset["id"]), json={"name": "B"}, headers={"If-Match": known}
        )
        assert answer.status_code == 412, known
        assert read_again(organization, asset["id"], known) == (304 if known.startswith("W/") else 200)


def test_a_resource_without_readings_has_a_one_part_etag(
    organization: Organization,
) -> None:
    answer = organization.api.get(f"/v2{organization.path}/asset-types/{organization.assets.type_id}")
    assert len(answer.headers["etag"].strip('"')) == 24
    assert "." not in answer.headers["etag"]
