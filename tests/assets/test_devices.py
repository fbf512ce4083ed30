"""What readings and checks write into an asset, as people see it. They write to the table, and so do these tests."""

import asyncio
from typing import Any

import asyncpg
import msgspec

from .conftest import House


def run(database_url: str, statement: str, *values: Any) -> Any:
    async def main() -> Any:
        connection = await asyncpg.connect(database_url)
        try:
            return await connection.fetch(statement, *values)
        finally:
            await connection.close()

    return asyncio.run(main())


def report(house: House, asset_id: str, *, connected: bool, status: str) -> None:
    run(
        house.org.database_url,
        """UPDATE assets SET connection_status = $3, status = $4, last_telemetry = $5, last_seen = 1767225600
           WHERE organization_id = $1 AND id = $2""",
        house.org.id,
        asset_id,
        connected,
        status,
        msgspec.json.encode({"Temperature": 21.5}).decode(),
    )


def test_an_asset_shows_what_its_device_reported(house: House) -> None:
    asset = house.make()
    report(house, asset["id"], connected=True, status="Warning")
    seen = {
        **asset,
        "connectionStatus": True,
        "isOnline": True,
        "status": "Warning",
        "lastTelemetry": {"Temperature": 21.5},
        "lastSeen": 1767225600,
    }
    assert house.api.get(house.one(asset["id"])).json()["data"] == seen
    assert house.api.get(house.path).json()["data"] == [seen]


def test_a_change_by_people_leaves_what_the_device_reported(house: House) -> None:
    asset = house.make()
    report(house, asset["id"], connected=False, status="Critical")
    before = house.api.get(house.one(asset["id"])).json()["data"]
    answer = house.api.patch(house.one(asset["id"]), json={"name": "Renamed", "description": "Moved."})
    assert answer.json()["data"] == {
        **before,
        "name": "Renamed",
        "description": "Moved.",
        "updated": answer.json()["data"]["updated"],
    }
    assert house.api.get(house.one(asset["id"])).json() == answer.json()


def test_lists_can_be_narrowed_to_what_needs_a_look(house: House) -> None:
    for name, connected, status in (("A", True, "Normal"), ("B", False, "Warning"), ("C", True, "Critical")):
        report(house, house.make(name)["id"], connected=connected, status=status)
    house.make("D")
    assert house.names(connectionStatus="true") == ["C", "A"]
    assert house.names(connectionStatus="false") == ["B"]
    assert [house.names(status=status) for status in ("Online", "Normal", "Warning", "Critical")] == [
        ["D"],
        ["A"],
        ["B"],
        ["C"],
    ]


def test_no_index_holds_what_every_reading_writes(database_url: str) -> None:
    rows = run(
        database_url,
        """SELECT DISTINCT a.attname FROM pg_index i
           JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
           WHERE i.indrelid = 'assets'::regclass""",
    )
    indexed = {row["attname"] for row in rows}
    assert "external_id" in indexed
    assert not indexed & {"last_telemetry", "last_seen"}
