"""What history shows, against a plain restatement of it; folding makes no difference at any moment."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.telemetry.telemetry_database import HOUR, KEYS, START, Row, TelemetryDatabase

from steward.kit.db.partitions import make_partitions
from steward.telemetry.model import History

_HOURS = 3
_values = st.none() | st.floats(-1e6, 1e6, allow_nan=False) | st.integers(0, 1).map(float)
# Few seconds, so that several readings fall into the same; now and again more keys than the type has.
_seconds = st.integers(0, 3) | st.integers(3590, 3610) | st.integers(0, _HOURS * 3600 - 1)
_rows = st.lists(
    st.tuples(st.integers(0, _HOURS - 1), _seconds, st.lists(_values, min_size=1, max_size=len(KEYS) + 1)),
    max_size=12,
)
_windows = st.tuples(st.integers(0, 7200), st.integers(1, 10_800), st.integers(1, 40))


def restated(rows: list[Row], keys: list[str], start: int, end: int, bucket: int) -> dict[str, Any]:
    """Key → bucket → values, each second once: the last to arrive that had the key."""
    last: dict[tuple[str, int], float] = {}
    for row in sorted(rows, key=lambda row: row.arrived):
        for key, value in zip(keys, row.vals, strict=False):
            if value is not None and start <= row.at < end:
                last[key, row.at] = value
    found: dict[str, Any] = {key: {} for key in keys}
    for (key, at), value in sorted(last.items()):
        found[key].setdefault((at - start) // bucket, []).append((at, value))
    return found


def shown(history: History) -> dict[str, Any]:
    return {
        each.key: [(p.timestamp, p.min, p.max, p.count, pytest.approx(p.average)) for p in each.points]
        for each in history.series
    }


def expected(buckets: dict[str, Any]) -> dict[str, Any]:
    return {
        key: [
            (points[0][0], min(values), max(values), len(values), sum(values) / len(values))
            for points in found.values()
            for values in [[value for _, value in points]]
        ]
        for key, found in buckets.items()
    }


# Each example has hours of arrival of its own: within one, what stands further on in the table has arrived later.
_examples = iter(range(10_000))


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=_rows, asked=_windows)
async def test_history_is_the_same_before_and_after_folding(
    database: TelemetryDatabase, rows: Any, asked: Any
) -> None:
    hour = HOUR + next(_examples) * _HOURS
    await make_partitions(database.db, hour * 3600)
    keys = [*KEYS, "Other"]
    asset_id, series = await database.reporting(keys)
    stored = [Row(hour + arrived, hour * 3600 + second, vals) for arrived, second, vals in rows]
    await database.arrive(series, stored)
    after, length, resolution = asked
    start = hour * 3600 + after
    for folded in range(_HOURS + 1):
        await database.fold((hour + folded) * 3600 + 120)
        history = await database.read(asset_id, start, start + length, resolution=resolution)
        buckets = restated(stored, keys, start, start + length, history.bucket_seconds)
        assert shown(history) == expected(buckets)
        assert all(len(each.points) <= resolution for each in history.series)
        assert all(p.min <= p.average <= p.max for each in history.series for p in each.points)
    assert await database.db.fetchval("SELECT count(*) FROM telemetry_recent WHERE series = $1", series) == 0


async def test_points_keep_the_time_of_their_first_reading(database: TelemetryDatabase) -> None:
    asset_id, series = await database.reporting()
    await database.arrive(series, [Row(HOUR, START + 7, [20.0]), Row(HOUR, START + 9, [22.0])])
    history = await database.read(asset_id, START, START + 3600, resolution=60, key="Temperature")
    assert history.bucket_seconds == 60
    (only,) = history.series
    assert [(p.timestamp, p.min, p.max, p.average, p.count) for p in only.points] == [
        (START + 7, 20, 22, 21, 2)
    ]


async def test_keys_of_one_second_that_came_apart_stand_together(database: TelemetryDatabase) -> None:
    asset_id, series = await database.reporting()
    await database.arrive(series, [Row(HOUR, START, [20.0, 40.0]), Row(HOUR, START, [None, 41.0, 1.0])])
    for _ in range(2):
        assert await database.exact(asset_id) == {
            "Temperature": {START: 20},
            "Humidity": {START: 41},
            "Open": {START: 1},
        }
        await database.fold(START + 7200)
    assert await database.count("telemetry_hours") == 1


async def test_values_at_the_end_of_their_range_can_be_averaged(database: TelemetryDatabase) -> None:
    asset_id, series = await database.reporting()
    largest = 1.7976931348623157e308
    rows = [Row(HOUR, START + n, [value]) for n, value in enumerate([largest, largest, 1e200, 5e-324])]
    await database.arrive(series, rows)
    for _ in range(2):
        history = await database.read(asset_id, START, START + 3600, resolution=1)
        (only,) = history.series[0].points
        assert (only.min, only.max, only.count) == (5e-324, largest, 4)
        assert only.average == pytest.approx(largest / 2)
        await database.fold(START + 7200)


async def test_nothing_is_rounded(database: TelemetryDatabase) -> None:
    asset_id, series = await database.reporting()
    meter = [0.1 + 0.2, 9007199254740993.0, 123456789.012345678]
    await database.arrive(series, [Row(HOUR, START + n, [value]) for n, value in enumerate(meter)])
    await database.fold(START + 7200)
    assert list((await database.exact(asset_id))["Temperature"].values()) == meter


async def test_an_asset_without_readings_shows_the_properties_of_its_type(
    database: TelemetryDatabase,
) -> None:
    history = await database.read(await database.asset(), START, START + 10)
    assert [(s.key, s.name, s.unit, s.type, s.points) for s in history.series] == [
        ("Temperature", "Room temperature", "°C", "float", []),
        ("Humidity", "Relative humidity", "%", "integer", []),
        ("Open", "Window", "", "boolean", []),
    ]


async def test_unknown_keys_are_listed_last(database: TelemetryDatabase) -> None:
    asset_id, series = await database.reporting([*KEYS, "Signal"])
    await database.arrive(series, [Row(HOUR, START, [None, None, None, -70.0])])
    history = await database.read(asset_id, START, START + 10)
    assert [(s.key, s.name, s.unit, s.type, len(s.points)) for s in history.series][3:] == [
        ("Signal", "Signal", "", "float", 1)
    ]
    asked = await database.read(asset_id, START, START + 10, key="Signal,Never,Signal")
    assert [(s.key, len(s.points)) for s in asked.series] == [("Signal", 1), ("Never", 0)]
