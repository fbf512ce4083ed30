"""What sensors report follows from the sensor and the clock alone, and looks like what such a sensor reports."""

import datetime as dt
from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.asset_types.model import PropertyType
from steward.asset_types.rules import sensor_types
from steward.demo.campus import SENSORS, SOCKET, Profile, Sensor
from steward.demo.faults import Fault, FaultKind, faults_at
from steward.demo.patterns import Values, battery, consumed, occupancy, report, surroundings

MOMENTS = st.integers(1_700_000_000, 1_900_000_000)
KINDS = {kind.name: {known.key: known.type for known in kind.properties} for kind in sensor_types(0)}
BY_PROFILE = {sensor.profile: sensor for sensor in SENSORS}

# Least and greatest of what each key may show.
BOUNDS = {
    "Temperature": (-25, 40),
    "Humidity": (15, 95),
    "CO2": (380, 2600),
    "PM2Point5": (0, 40),
    "PM10": (0, 70),
    "TVOC": (0, 500),
    "HCHO": (0, 0.1),
    "Pressure": (980, 1050),
    "LeakStatus": (0, 1),
    "BatteryLevel": (5, 100),
    "DoorStatus": (0, 1),
    "Power": (0, 6000),
    "Voltage": (220, 240),
    "Current": (0, 30),
    "Energy": (0, 1e9),
}


def _at(day: str, hour: int) -> int:
    date = dt.datetime.fromisoformat(f"{day}T{hour:02}:00:00").replace(tzinfo=ZoneInfo("Europe/Berlin"))
    return int(date.timestamp())


def _report(sensor: Sensor, at: int, fault: Fault | None = None) -> Values:
    values = report(sensor, surroundings(at), fault, None, at)
    assert values is not None
    return values


@given(MOMENTS, st.sampled_from(SENSORS))
def test_a_report_has_the_keys_of_its_kind_and_values_that_can_be(at: int, sensor: Sensor) -> None:
    values = report(sensor, surroundings(at), faults_at(at).get(sensor.number), None, at)
    if values is None:
        return
    assert list(values) == list(KINDS[sensor.kind])
    for key, value in values.items():
        low, high = BOUNDS[key]
        assert low <= value <= high, (key, value)
        assert isinstance(value, int) == (KINDS[sensor.kind][key] is PropertyType.INTEGER)


@given(MOMENTS, st.sampled_from(SENSORS))
def test_the_same_moment_gives_the_same_report(at: int, sensor: Sensor) -> None:
    first = report(sensor, surroundings(at), None, None, at)
    surroundings.cache_clear()
    assert report(sensor, surroundings(at), None, None, at) == first


@pytest.mark.parametrize(
    ("busy", "quiet", "more"),
    [
        # Tuesday noon and the night before; a working day and the Sunday after.
        (("2026-03-10", 10), ("2026-03-10", 3), lambda values: values["CO2"]),
        (("2026-03-10", 15), ("2026-03-15", 15), lambda values: values["CO2"]),
        (("2026-03-10", 15), ("2026-03-10", 4), lambda values: values["Temperature"]),
    ],
)
def test_rooms_know_day_night_and_weekend(
    busy: tuple[str, int], quiet: tuple[str, int], more: Callable[[Values], float]
) -> None:
    office = BY_PROFILE[Profile.OFFICE] if BY_PROFILE[Profile.OFFICE].kind == SENSORS[0].kind else SENSORS[2]
    assert more(_report(office, _at(*busy))) > more(_report(office, _at(*quiet)))


@pytest.mark.parametrize(
    ("hour", "weekday", "low", "high"),
    [(3, 1, 0, 0), (10, 1, 0.9, 1), (12.5, 1, 0.5, 0.8), (17, 0, 0.3, 1), (17, 4, 0, 0.1), (11, 6, 0, 0.1)],
)
def test_occupancy_follows_the_working_day(hour: float, weekday: int, low: float, high: float) -> None:
    assert low <= occupancy(hour, weekday) <= high


@pytest.mark.parametrize(
    ("profile", "kind", "key", "threshold"),
    [
        (Profile.SERVER_ROOM, FaultKind.WARM, "Temperature", 27),
        (Profile.COLD_ROOM, FaultKind.WARM, "Temperature", 8),
        (Profile.FREEZER, FaultKind.WARM, "Temperature", -13),
        (Profile.EXIT, FaultKind.HELD_OPEN, "DoorStatus", 0),
        (Profile.DRY, FaultKind.WATER, "LeakStatus", 0),
        (Profile.MEETING, FaultKind.STALE_AIR, "CO2", 1400),
        (Profile.COFFEE, FaultKind.OVERLOAD, "Power", 2000),
    ],
)
def test_a_fault_crosses_the_threshold_of_its_rule(
    profile: Profile, kind: FaultKind, key: str, threshold: float
) -> None:
    sensor = BY_PROFILE[profile]
    for hour in range(24):
        at = _at("2026-03-10", hour)
        assert _report(sensor, at, Fault(kind, 0.5))[key] > threshold
        assert _report(sensor, at)[key] <= threshold


def test_a_silent_sensor_sends_nothing() -> None:
    at = _at("2026-03-10", 10)
    assert report(SENSORS[0], surroundings(at), Fault(FaultKind.SILENT, 0.1), None, at) is None


@given(MOMENTS)
def test_the_demo_always_has_an_offline_device_and_a_low_battery(at: int) -> None:
    faults = faults_at(at)
    assert 1 <= sum(fault.kind is FaultKind.SILENT for fault in faults.values()) <= 2
    assert all(0 <= fault.progress < 1 for fault in faults.values())
    low = [one for one in SENSORS if "BatteryLevel" in KINDS[one.kind] and battery(one.number, at) < 12]
    assert 1 <= len(low) <= 2


@given(MOMENTS, st.integers(1, 5 * 86_400), st.integers(1, 5 * 86_400))
def test_a_meter_only_counts_up_and_in_gaps_as_well(at: int, first: int, second: int) -> None:
    socket = next(sensor for sensor in SENSORS if sensor.kind == SOCKET)
    shown = _report(socket, at)["Energy"]
    middle = report(socket, surroundings(at + first), None, {"Energy": shown}, at)
    assert middle is not None
    assert shown <= middle["Energy"] <= shown + 6 * first / 3600 + 0.001
    both = consumed(socket, at, at + first) + consumed(socket, at + first, at + first + second)
    assert consumed(socket, at, at + first + second) == pytest.approx(both)
