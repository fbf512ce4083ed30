"""Every reading once, in order, wherever it is stored and however it is asked for."""

import json
import time
from typing import Any

import pytest
from tests.support.organizations import Organization
from tests.telemetry.telemetry_database import HOUR, NUMBER, START, TENANT, Row, TelemetryDatabase

from steward.kit.domain.problems import Invalid
from steward.telemetry.raw import actions, queries
from steward.telemetry.raw.model import RawExportQuery, StoredReading
from steward.telemetry.raw.rules import merged, ndjson_lines, raw_span, resumption

LATER = START + 5 * 3600


async def _lines(database: TelemetryDatabase, **query: Any) -> list[tuple[str, int, dict[str, float]]]:
    pieces = actions.export(database.pool, TENANT, RawExportQuery(**query), ndjson_lines, now=LATER)
    text = b"".join([piece async for piece in pieces]).decode()
    read = [json.loads(line) for line in text.splitlines()]
    return [(line["assetId"], line["timestamp"], line["values"]) for line in read]


@pytest.fixture
async def asset(database: TelemetryDatabase) -> tuple[str, int]:
    """Two readings that are folded, a late one that isn't, one that came in two pieces, and one that was corrected."""
    asset_id, series = await database.reporting()
    await database.arrive(series, [Row(HOUR, START, (20,)), Row(HOUR, START + 60, (21, 50, 1))])
    await database.fold(START + 3600 + 121)
    late = [
        Row(HOUR + 1, START + 30, (19,)),
        Row(HOUR + 1, START + 60, (None, 51)),
        Row(HOUR + 1, START + 3600, (22,)),
        Row(HOUR + 1, START + 3600, (None, 52)),
        Row(HOUR + 1, START + 3600, (23,)),
    ]
    await database.arrive(series, late)
    return asset_id, series


def _expected(asset_id: str) -> list[tuple[str, int, dict[str, float]]]:
    return [
        (asset_id, START, {"Temperature": 20}),
        (asset_id, START + 30, {"Temperature": 19}),
        (asset_id, START + 60, {"Temperature": 21, "Humidity": 51, "Open": 1}),
        (asset_id, START + 3600, {"Temperature": 23, "Humidity": 52}),
    ]


async def test_history_joins_fresh_and_folded_readings(
    database: TelemetryDatabase, asset: tuple[str, int]
) -> None:
    asset_id, _ = asset
    await database.db.execute("UPDATE assets SET last_seen = $1", START + 3600)
    everything = _expected(asset_id)
    assert await _lines(database) == everything
    await database.fold(START + 2 * 3600 + 121)
    assert await database.count("telemetry_recent") == 0
    assert await _lines(database) == everything
    assert await _lines(database, from_=START + 30, to=START + 3600) == everything[1:3]
    assert await _lines(database, key="Open,Nothing") == [(asset_id, START + 60, {"Open": 1})]
    assert await _lines(database, resume_at=f"{asset_id}:{START + 60}") == everything[2:]
    assert await _lines(database, asset_id=["ast_of_others"]) == []
    # The hour of the late ones as a whole, and the one after it.
    assert await _lines(database, arrived_from=START + 3600 + 120) == everything
    assert await _lines(database, arrived_from=START + 2 * 3600 + 120) == []


async def test_an_unfolded_late_reading_is_found_by_arrival_time(
    database: TelemetryDatabase, asset: tuple[str, int]
) -> None:
    asset_id, _ = asset
    await database.db.execute("UPDATE assets SET last_seen = $1", START + 3600)
    assert await _lines(database, arrived_from=START + 3600 + 120) == [
        (asset_id, START + 30, {"Temperature": 19}),
        (asset_id, START + 60, {"Humidity": 51}),
        (asset_id, START + 3600, {"Temperature": 23, "Humidity": 52}),
    ]


async def test_slices_follow_each_other_without_a_gap(database: TelemetryDatabase) -> None:
    """More of both kinds than is read at once, of two assets, and each second twice."""
    counts = []
    for _ in range(2):
        asset_id, series = await database.reporting()
        await database.db.execute(
            """INSERT INTO telemetry_recent SELECT $1, $2, $3::int + n % 2, (1 - n % 2 - 2) * 3600 + n / 2, ARRAY[n]
               FROM generate_series(0, $4::int) n""",
            NUMBER,
            series,
            HOUR + 2,
            3 * queries.FRESH_AT_ONCE,
        )
        await database.db.execute(
            """INSERT INTO telemetry_hours SELECT $1, $2, $3::int - n, NULL, '{0,7}', '{{1},{2}}'
               FROM generate_series(1, $4::int) n""",
            NUMBER,
            series,
            HOUR,
            2 * queries.HOURS_AT_ONCE + 1,
        )
        counts.append((asset_id, 3 * queries.FRESH_AT_ONCE // 2 + 1 + 2 * (2 * queries.HOURS_AT_ONCE + 1)))
    await database.db.execute("UPDATE assets SET last_seen = $1", LATER)
    found = await _lines(database)
    assert found == sorted(found, key=lambda line: line[:2])
    assert len({line[:2] for line in found}) == len(found)
    assert [(a, sum(line[0] == a for line in found)) for a, _ in sorted(counts)] == sorted(counts)
    last = found[-1][1] - (START + 3600)
    assert found[-1][2] == {"Temperature": 2 * last}


def test_readings_of_one_second_are_merged_by_value() -> None:
    stored = [StoredReading(1, [1.0, None]), StoredReading(2, [2.0])]
    fresh = [StoredReading(0, [9.0]), StoredReading(1, [None, 5.0, 6.0]), StoredReading(2, [None, 7.0])]
    assert merged(stored, fresh) == [(0, [9.0]), (1, [1.0, 5.0, 6.0]), (2, [2.0, 7.0])]


@pytest.mark.parametrize("text", ["", "ast_1", ":5", "ast_1:", "ast_1:x", "ast_1:-5"])
def test_a_malformed_resumption_position_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        resumption(RawExportQuery(resume_at=text))


def test_a_span_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(Invalid):
        raw_span(5, 5, 10)


def test_readings_are_listed_and_exported_over_http(
    organization: Organization, other_organization: Organization
) -> None:
    now = int(time.time())
    floor = organization.locations.create("Floor")["id"]
    room = organization.locations.create("Room", parentId=floor)["id"]
    one = organization.devices.add("One", locationId=room)
    two = organization.devices.add("Two")
    for age in (30, 20, 10):
        organization.devices.report(one, {"Temperature": age, "=Key": 1}, now - age)
    organization.devices.report(two, {"Temperature": 5}, now - 5)
    other_organization.devices.report(other_organization.devices.add(), {"Temperature": 1}, now)

    path = f"{organization.path}/assets/{one}/telemetry/raw"
    first = organization.api.get(path, params={"limit": 2, "key": "Temperature"}).json()
    assert first["data"] == [{"timestamp": now - age, "values": {"Temperature": age}} for age in (30, 20)]
    more = {"limit": 2, "key": "Temperature", "lastEvaluatedKey": first["lastEvaluatedKey"]}
    rest = organization.api.get(path, params=more).json()
    assert rest == {
        "data": [{"timestamp": now - 10, "values": {"Temperature": 10}}],
        "lastEvaluatedKey": None,
    }
    assert organization.api.get(path, params={**more, "key": "=Key"}).status_code == 422
    assert organization.api.get(path.replace(one, "ast_none")).status_code == 404

    def exported(suffix: str, **query: Any) -> str:
        answer = organization.api.get(f"{organization.path}/telemetry.{suffix}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.text

    lines = [
        f"{one},{now - age},{cell}" for age in (30, 20, 10) for cell in (f"Temperature,{age}.0", "'=Key,1.0")
    ]
    head = "assetId,timestamp,key,value"
    assert exported("csv").splitlines() == [head, *lines, f"{two},{now - 5},Temperature,5.0"]
    assert exported("csv", locationId=floor, key="Temperature").splitlines() == [head, *lines[::2]]
    assert json.loads(exported("ndjson", assetId=f"{two},ast_none")) == {
        "assetId": two,
        "timestamp": now - 5,
        "values": {"Temperature": 5.0},
    }
    assert exported("ndjson", assetTypeId="aty_none") == ""
    reader = organization.client(key=organization.new_key("iot:write")["secret"])
    assert reader.get(f"{organization.path}/telemetry.csv").status_code == 403
