"""Which value stands where: keys are appended and never moved."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.telemetry.telemetry_database import KEYS, TelemetryDatabase

from steward.kit.domain.problems import Invalid
from steward.telemetry.layouts import Layouts, Place
from steward.telemetry.series import MAX_KEYS, extended, layout, row

_keys = st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=8)
_value = st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ({"a": 21.4, "c": True}, "{21.4,NULL,1}"),
        ({"c": False, "a": -3}, "{-3,NULL,0}"),
        ({"b": 1e300}, "{NULL,1e+300}"),
        ({"a": 0.1}, "{0.1}"),
        ({}, "{}"),
    ],
)
def test_a_row_is_written_as_an_array_that_ends_with_its_last_value(values, written) -> None:
    assert row(layout("abc"), values) == written


def test_a_key_without_a_position_refuses_the_reading() -> None:
    with pytest.raises(Invalid, match="at most 200 different keys"):
        row(layout("abc"), {"d": 1})


@given(_keys, st.lists(st.dictionaries(st.text(min_size=1, max_size=4), _value, max_size=5), max_size=4))
def test_keys_are_appended_and_keep_their_places(keys, readings) -> None:
    before = layout(keys)
    after = extended(before, readings)
    assert after.keys[: len(keys)] == tuple(keys)
    assert set(after.keys) == set(keys).union(*readings)
    assert len(set(after.keys)) == len(after.keys)
    for values in readings:
        parts = row(after, values)[1:-1].split(",") if values else []
        found = {after.keys[i]: float(part) for i, part in enumerate(parts) if part != "NULL"}
        assert found == {key: float(value) for key, value in values.items()}


def test_a_reading_with_too_many_keys_adds_none_to_the_series() -> None:
    before = layout(f"k{n}" for n in range(MAX_KEYS - 1))
    after = extended(before, [{"x": 1, "y": 2}, {"z": 3}, {"w": 4}])
    assert after.keys[MAX_KEYS - 1 :] == ("z",)
    assert extended(after, [{"z": 1}]) is after


def test_equal_layouts_are_one_object() -> None:
    assert layout(["a", "b"]) is layout(("a", "b"))


async def _of(database: TelemetryDatabase, layouts: Layouts, *wanted: tuple[Any, Any]) -> list[Place]:
    async with database.pool.transaction() as tx:
        return await layouts.places(tx, *zip(*wanted, strict=True))


async def _wanted(database: TelemetryDatabase, asset_id: str, *readings: dict[str, float]) -> tuple[Any, Any]:
    columns = "organization_id, id, asset_type_id, series, layout"
    return await database.db.fetchrow(f"SELECT {columns} FROM assets WHERE id = $1", asset_id), readings


async def _stored(database: TelemetryDatabase, asset_id: str) -> tuple[int, list[str]]:
    row = await database.db.fetchrow(
        """SELECT a.series, l.keys FROM assets a
           JOIN telemetry_layouts l ON l.organization_id = a.organization_id AND l.layout = a.layout
           WHERE a.id = $1""",
        asset_id,
    )
    return row["series"], row["keys"]


async def test_assets_that_report_for_the_first_time_get_series_that_begin_with_their_type(database) -> None:
    assets = [await database.asset() for _ in range(3)]
    layouts = Layouts()
    wanted = [await _wanted(database, asset_id, {"Signal": 1}) for asset_id in assets]
    places = await _of(database, layouts, *wanted)
    assert [await _stored(database, asset_id) for asset_id in assets] == [
        (place.series, [*KEYS, "Signal"]) for place in places
    ]
    assert len({place.series for place in places}) == 3
    assert len({id(place.layout) for place in places}) == 1


async def test_a_known_layout_needs_no_statement(database) -> None:
    asset_id, _ = await database.reporting()
    layouts = Layouts()
    wanted = await _wanted(database, asset_id, {"Humidity": 1})
    first = await _of(database, layouts, wanted)
    await database.db.execute("DROP TABLE telemetry_layouts")
    assert await _of(database, layouts, wanted) == first
    assert layouts._known[wanted[0]["layout"]] is first[0].layout


async def test_assets_that_report_the_same_share_a_layout(database) -> None:
    (one, _), (two, _) = await database.reporting(), await database.reporting()
    for asset_id in (one, two):
        await _of(database, Layouts(), await _wanted(database, asset_id, {"Signal": 1}))
    (first, _), (second, _) = await _wanted(database, one), await _wanted(database, two)
    assert first["layout"] == second["layout"]
    assert first["series"] != second["series"]


async def test_two_processes_append_keys_in_turn(database) -> None:
    asset_id, series = await database.reporting()
    here, there = Layouts(), Layouts()
    keys = [*KEYS, "Signal", "Battery", "Noise"]
    for layouts, key in (
        (here, "Signal"),
        (there, "Battery"),
        (here, "Noise"),
        (there, "Signal"),
        (there, "Noise"),
    ):
        (place,) = await _of(database, layouts, await _wanted(database, asset_id, {key: 1}))
        assert place.series == series
        assert place.layout.positions[key] == keys.index(key)
    assert await _stored(database, asset_id) == (series, keys)


async def test_uncommitted_layouts_are_not_used(database) -> None:
    asset_id, _ = await database.reporting()
    here, there = Layouts(), Layouts()
    wanted = await _wanted(database, asset_id, {"Signal": 1})
    with contextlib.suppress(ZeroDivisionError):
        async with database.pool.transaction() as tx:
            await here.places(tx, [wanted[0]], [wanted[1]])
            raise ZeroDivisionError
    await _of(database, there, await _wanted(database, asset_id, {"Battery": 1}))
    (place,) = await _of(database, here, await _wanted(database, asset_id, {"Signal": 1}))
    assert place.layout.keys == (*KEYS, "Battery", "Signal")
    assert (await _stored(database, asset_id))[1] == [*KEYS, "Battery", "Signal"]


async def test_a_full_series_accepts_known_keys_only(database) -> None:
    full = [f"k{n}" for n in range(MAX_KEYS)]
    asset_id, _ = await database.reporting(full)
    (place,) = await _of(database, Layouts(), await _wanted(database, asset_id, {"k1": 5}, {"new": 6}))
    assert row(place.layout, {"k1": 5}) == "{NULL,5}"
    with pytest.raises(Invalid):
        row(place.layout, {"new": 6})
    assert (await _stored(database, asset_id))[1] == full
