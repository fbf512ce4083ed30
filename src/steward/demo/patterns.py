"""What the sensors of the campus report: pure functions of the sensor and the time.

Only a meter remembers: it goes on from what it showed last.
"""

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from steward.demo.campus import AIR, CLIMATE, DOOR, LEAK, SENSORS, Profile, Sensor
from steward.demo.faults import Fault, FaultKind
from steward.demo.past import DAY, HOUR, chance, local_time, noise

Values = dict[str, bool | int | float]

_HALF_HOUR = 1800
_VOLTS = 230.0
# A battery lasts so long, and the sensors' were not put in on one day.
_BATTERY_SECONDS = 440 * DAY
_BATTERIES = [sensor.number for sensor in SENSORS if sensor.kind in {LEAK, DOOR}]
# What a meter counts at most after a gap.
_MAX_GAP = 90 * DAY


class Surroundings(NamedTuple):
    """What all sensors share at a moment; `occupancy` runs from 0 to 1."""

    at: int
    hour: float
    weekend: bool
    occupancy: float
    outside: float
    pressure: float


@lru_cache(maxsize=128)
def surroundings(at: int) -> Surroundings:
    local = local_time(at)
    hour = local.hour + local.minute / 60 + local.second / 3600
    weekend = local.weekday() >= 5
    season = -math.cos(2 * math.pi * (local.timetuple().tm_yday - 20) / 365)
    outside = 9.5 + 8.5 * season + 4 * math.cos(2 * math.pi * (hour - 15) / 24) + 3 * noise(900, at, DAY)
    pressure = 1014 + 9 * noise(901, at, 2 * DAY)
    return Surroundings(at, hour, weekend, occupancy(hour, local.weekday()), outside, pressure)


def occupancy(hour: float, weekday: int) -> float:
    """How full the houses are; Monday is 0."""
    if weekday >= 5:
        return 0.04 if 9 <= hour <= 17 else 0.0
    leaving = 17.5 if weekday < 4 else 15.5
    here = _ramp(hour, 7, 9) * (1 - _ramp(hour, leaving - 1, leaving + 1.5))
    at_lunch = _ramp(hour, 11.5, 12.2) * (1 - _ramp(hour, 12.8, 13.5))
    return here * (1 - 0.35 * at_lunch)


def _ramp(value: float, start: float, end: float) -> float:
    return min(1.0, max(0.0, (value - start) / (end - start)))


def report(
    sensor: Sensor, around: Surroundings, fault: Fault | None, before: Mapping[str, float] | None, since: int
) -> Values | None:
    """What the sensor says now; None where it is silent. `before` is what it said last, at `since`."""
    if fault is not None and fault.kind is FaultKind.SILENT:
        return None
    if sensor.kind == AIR:
        return _air(sensor, around, fault)
    if sensor.kind == CLIMATE:
        return _climate(sensor, around, fault)
    if sensor.kind == LEAK:
        wet = fault is not None and fault.kind is FaultKind.WATER
        return {"LeakStatus": int(wet), "BatteryLevel": battery(sensor.number, around.at)}
    if sensor.kind == DOOR:
        return {
            "DoorStatus": int(_is_open(sensor, around, fault)),
            "BatteryLevel": battery(sensor.number, around.at),
        }
    return _socket(sensor, around, fault, before, since)


def battery(number: int, at: int) -> int:
    """In percent. At any time one or two of them want to be changed."""
    age = _BATTERIES.index(number) * _BATTERY_SECONDS // len(_BATTERIES)
    passed = (at + age) % _BATTERY_SECONDS
    return 100 - 95 * passed // _BATTERY_SECONDS


def _people(sensor: Sensor, around: Surroundings) -> float:
    """How full this room is."""
    if sensor.profile is Profile.MEETING:
        booked = chance(sensor.number, around.at // _HALF_HOUR) < 0.55
        return around.occupancy * (0.75 + 0.25 * noise(sensor.number, around.at, HOUR)) if booked else 0.0
    if sensor.profile is Profile.CANTEEN:
        lunch = _ramp(around.hour, 11.3, 12.2) * (1 - _ramp(around.hour, 13.0, 14.2))
        return lunch if not around.weekend else 0.0
    share = 0.4 if sensor.profile is Profile.LOBBY else 0.8
    return around.occupancy * (share + 0.15 * noise(sensor.number, around.at, 2 * HOUR))


def _room_temperature(sensor: Sensor, around: Surroundings, people: float) -> float:
    heated = 20.4 if 6 <= around.hour < 19 and not around.weekend else 18.6
    drift = 0.7 * noise(sensor.number + 100, around.at, 5 * HOUR)
    return heated + 1.9 * people + 0.09 * (around.outside - 9.5) + drift


def _air(sensor: Sensor, around: Surroundings, fault: Fault | None) -> Values:
    people, number, at = _people(sensor, around), sensor.number, around.at
    gas = 425 + 720 * people + 25 * noise(number + 200, at, _HALF_HOUR)
    if fault is not None:
        # The ventilation stands still: what was breathed stays.
        gas += 1150 * math.sin(math.pi * fault.progress)
    dust = max(1.0, 6 + 3.5 * people + 3 * noise(number + 300, at, 6 * HOUR))
    return {
        "Temperature": round(_room_temperature(sensor, around, people), 1),
        "Humidity": round(43 + 7 * people + 6 * noise(number + 400, at, 9 * HOUR), 1),
        "CO2": int(gas),
        "PM2Point5": round(dust, 1),
        "PM10": round(dust * 1.7 + 0.8, 1),
        "TVOC": round(90 + 210 * people + 30 * noise(number + 500, at, 2 * HOUR), 1),
        "HCHO": round(0.018 + 0.012 * people + 0.004 * noise(number + 600, at, 4 * HOUR), 4),
        "Pressure": round(around.pressure, 1),
    }


# Temperature and humidity, how far they move, and how much warmer a fault makes it.
_CLIMATES: Mapping[Profile, tuple[float, float, float, float]] = {
    Profile.SERVER_ROOM: (21.8, 0.7, 38.0, 7.5),
    Profile.COLD_ROOM: (4.0, 0.7, 72.0, 7.0),
    Profile.FREEZER: (-19.0, 0.9, 55.0, 11.0),
    Profile.STORE: (19.0, 0.8, 46.0, 0.0),
    Profile.PLANT_ROOM: (26.0, 1.6, 35.0, 0.0),
}


def _climate(sensor: Sensor, around: Surroundings, fault: Fault | None) -> Values:
    number, at = sensor.number, around.at
    if sensor.profile is Profile.OFFICE:
        people = _people(sensor, around)
        temperature, humidity = _room_temperature(sensor, around, people), 43 + 6 * people
    else:
        middle, swing, humidity, warmer = _CLIMATES[sensor.profile]
        temperature = middle + swing * noise(number, at, 2 * HOUR) + 0.3 * around.occupancy
        if fault is not None:
            temperature += warmer * math.sin(math.pi * fault.progress)
    return {
        "Temperature": round(temperature, 1),
        "Humidity": round(humidity + 4 * noise(number + 400, at, 9 * HOUR), 1),
    }


def _is_open(sensor: Sensor, around: Surroundings, fault: Fault | None) -> bool:
    if sensor.profile is Profile.EXIT:
        return fault is not None
    drawn = chance(sensor.number, around.at // 300)
    if sensor.profile is Profile.ENTRANCE:
        return drawn < 0.02 + 0.3 * around.occupancy
    # People open a window when it is mild outside, and the last one closes it.
    return around.outside > 12 and around.occupancy > 0.3 and drawn < 0.5


_POWERS: Mapping[Profile, Callable[[Sensor, Surroundings], float]] = {
    Profile.COFFEE: lambda sensor, around: (
        18 + 1250 * around.occupancy * chance(sensor.number, around.at // 420) ** 2
    ),
    Profile.PRINTER: lambda sensor, around: (
        12 + 620 * around.occupancy * (chance(sensor.number, around.at // 300) < 0.3)
    ),
    Profile.FRIDGE: lambda sensor, around: 4 + 85 * (chance(sensor.number, around.at // 1200) < 0.4),
    Profile.SCREEN: lambda _sensor, around: 160 if 7 <= around.hour < 19 and not around.weekend else 2,
    Profile.CHARGER: lambda sensor, around: (
        3600 if around.occupancy > 0.2 and chance(sensor.number, around.at // (3 * HOUR)) < 0.6 else 3
    ),
}


def power(sensor: Sensor, around: Surroundings) -> float:
    """In watts, when nothing is wrong."""
    level = _POWERS[sensor.profile](sensor, around)
    return level * (1 + 0.04 * noise(sensor.number + 700, around.at, 900))


def _socket(
    sensor: Sensor, around: Surroundings, fault: Fault | None, before: Mapping[str, float] | None, since: int
) -> Values:
    watts = power(sensor, around)
    if fault is not None:
        watts += 2200
    volts = _VOLTS + 2.5 * noise(sensor.number + 800, around.at, HOUR)
    counted = 180.0 + 37.0 * sensor.number if before is None else before.get("Energy", 0.0)
    if before is not None:
        counted += consumed(sensor, since, around.at)
    return {
        "Power": round(watts, 1),
        "Voltage": round(volts, 1),
        "Current": round(watts / volts, 3),
        "Energy": round(counted, 4),
    }


def consumed(sensor: Sensor, start: int, end: int) -> float:
    """In kWh. A meter counts on while nobody asks it, and comes to the same however often it is asked."""
    total, at = 0.0, max(start, end - _MAX_GAP)
    while at < end:
        half_hour = at - at % _HALF_HOUR
        step = min(half_hour + _HALF_HOUR, end) - at
        total += power(sensor, surroundings(half_hour)) * step
        at += step
    return total / 3_600_000
