"""A read costs what it shows: other series and other weeks cost nothing, by PostgreSQL's own count of pages read."""

import json
from typing import Any

import pytest
from tests.telemetry.telemetry_database import HOUR, NUMBER, START, TelemetryDatabase

from steward.kit.db.partitions import make_partition, partition_name
from steward.telemetry.queries import READ_HISTORY

SERIES = 300
WEEKS = 4
_WEEK = 7 * 24
_RECENT = """INSERT INTO telemetry_recent
             SELECT $3::int, s, $1::int + n / 60, n % 60 * 60, ARRAY[20, 50, 1]
             FROM generate_series(0, 119) n, generate_series(1, $2::int) s"""
_HOURS = """INSERT INTO telemetry_hours
            SELECT $4::int, s, $1::int - n, NULL, ARRAY[0, 1800], ARRAY[[20, 50, 1], [21, 51, 0]]
            FROM generate_series(1, $3::int) n, generate_series(1, $2::int) s"""


pytestmark = pytest.mark.usefixtures("one_server")


@pytest.fixture
async def crowded(database: TelemetryDatabase) -> TelemetryDatabase:
    for week in range(1, WEEKS + 1):
        await make_partition(database.db, "telemetry_hours", START - week * _WEEK * 3600)
    await database.db.execute(_RECENT, HOUR, SERIES, NUMBER)
    await database.db.execute(_HOURS, HOUR, SERIES, WEEKS * _WEEK, NUMBER)
    await database.db.execute("VACUUM (ANALYZE) telemetry_recent, telemetry_hours")
    return database


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for part in plan.get("Plans", ()) for node in _nodes(part))]


async def _explain(
    database: TelemetryDatabase, mode: str, start: int, end: int
) -> tuple[list[dict[str, Any]], int]:
    """The nodes that ran, and how many pages they read."""
    await database.db.execute(f"SET plan_cache_mode = {mode}")
    await database.db.execute(f"PREPARE reading AS {READ_HISTORY}")
    arguments = (
        f"7, '{{1,3}}', {start}, {end}, 60, {HOUR + 2}, {start // 3600}, {(end - 1) // 3600}, {NUMBER}"
    )
    plan = await database.db.fetchval(
        f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE reading ({arguments})"
    )
    await database.db.execute("DEALLOCATE reading")
    top = json.loads(plan)[0]["Plan"]
    ran = [node for node in _nodes(top) if node["Actual Loops"] > 0]
    return ran, top["Shared Hit Blocks"] + top["Shared Read Blocks"]


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
async def test_a_day_touches_the_partitions_of_its_week_and_of_hours_that_have_come(crowded, mode) -> None:
    start = START - 3 * _WEEK * 3600
    ran, pages = await _explain(crowded, mode, start, start + 86_400)
    tables = {node["Relation Name"] for node in ran if "Relation Name" in node}
    weeks = {table for table in tables if table.startswith("telemetry_hours")}
    assert weeks <= {partition_name("telemetry_hours", start), "telemetry_hours_default"}
    # Late readings may have arrived at any time until now, and none later.
    come = {partition_name("telemetry_recent", START + n * 3600) for n in range(3)}
    assert tables - weeks <= {*come, "telemetry_recent_default"}
    assert pages < 400


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("weeks", [1, WEEKS])
async def test_other_series_are_never_read(crowded: TelemetryDatabase, mode: str, weeks: int) -> None:
    ran, pages = await _explain(crowded, mode, START - weeks * _WEEK * 3600, START + 7200)
    # Where nothing is, it may be looked for in any way.
    scans = [
        node for node in ran if "Relation Name" in node and not node["Relation Name"].endswith("_default")
    ]
    passed_over = sum(node.get("Rows Removed by Filter", 0) for node in scans)
    assert passed_over < 500, "rows of others were looked at"
    assert sum(node["Actual Rows"] * node["Actual Loops"] for node in scans) < 120 + weeks * _WEEK + 1
    assert pages < 300 + 3 * weeks * _WEEK
