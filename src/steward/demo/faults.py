"""What goes wrong on the campus, and when: by the clock alone, so that everybody sees the same faults."""

from enum import StrEnum
from typing import NamedTuple

from steward.demo.campus import AIR, CLIMATE, SENSORS, Profile
from steward.demo.past import HOUR, MINUTE, chance


class FaultKind(StrEnum):
    SILENT = "silent"
    WARM = "warm"
    HELD_OPEN = "heldOpen"
    WATER = "water"
    STALE_AIR = "staleAir"
    OVERLOAD = "overload"


class Fault(NamedTuple):
    """`progress` runs from 0 to 1 while it lasts."""

    kind: FaultKind
    progress: float


class _Stream(NamedTuple):
    """One fault after the other: every `period` seconds one of the candidates has it for `lasts` seconds."""

    kind: FaultKind
    period: int
    lasts: int
    offset: int
    candidates: tuple[int, ...]


def _with_profile(profile: Profile) -> tuple[int, ...]:
    return tuple(sensor.number for sensor in SENSORS if sensor.profile is profile)


_CLIMATE = {sensor.number for sensor in SENSORS if sensor.kind in {AIR, CLIMATE}}
_OFFICES = [number for number in _with_profile(Profile.OFFICE) if number in _CLIMATE]
_STREAMS = (
    # Two that overlap, so that some sensor is always unreachable.
    _Stream(FaultKind.SILENT, 20 * HOUR, 12 * HOUR, 0, tuple(_OFFICES[::2])),
    _Stream(FaultKind.SILENT, 20 * HOUR, 12 * HOUR, 10 * HOUR, tuple(_OFFICES[1::2])),
    _Stream(FaultKind.WARM, 14 * HOUR, 9 * HOUR, 3 * HOUR, _with_profile(Profile.COLD_ROOM)),
    _Stream(FaultKind.WARM, 53 * HOUR, 6 * HOUR, 13 * HOUR, _with_profile(Profile.FREEZER)),
    _Stream(FaultKind.WARM, 41 * HOUR, 4 * HOUR, 7 * HOUR, _with_profile(Profile.SERVER_ROOM)),
    _Stream(FaultKind.HELD_OPEN, 9 * HOUR, 3 * HOUR, 5 * HOUR, _with_profile(Profile.EXIT)),
    _Stream(FaultKind.WATER, 67 * HOUR, 3 * HOUR, 29 * HOUR, _with_profile(Profile.DRY)),
    _Stream(FaultKind.STALE_AIR, 15 * HOUR, 4 * HOUR, 2 * HOUR, _with_profile(Profile.MEETING)),
    _Stream(FaultKind.OVERLOAD, 29 * HOUR, 100 * MINUTE, 9 * HOUR, _with_profile(Profile.COFFEE)),
)


def faults_at(at: int) -> dict[int, Fault]:
    """By the number of the sensor."""
    found = {}
    for index, stream in enumerate(_STREAMS):
        cycle, within = divmod(at + stream.offset, stream.period)
        if within < stream.lasts:
            number = stream.candidates[int(chance(index, cycle) * 0.999999 * len(stream.candidates))]
            found[number] = Fault(stream.kind, within / stream.lasts)
    return found
