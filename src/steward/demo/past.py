"""What makes a past that is the same at every seeding of the same day: drawn numbers, moments and identifiers."""

import datetime as dt
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from steward.demo.campus import TIMEZONE
from steward.kit.records.moves import MoveDetails, Moves

R = TypeVar("R", bound=msgspec.Struct)
D = TypeVar("D", bound=MoveDetails)

MINUTE, HOUR, DAY = 60, 3600, 86_400
_ZONE = ZoneInfo(TIMEZONE)
_MASK = 0xFFFFFFFF

# Takes the kind's prefix and a moment; identifiers sort by the moment at which their record was made.
IdAt = Callable[[str, int], str]


def drawn(*names: int | str) -> Random:
    """Numbers that depend on these names and on nothing else."""
    return Random("/".join(map(str, names)))  # noqa: S311 (a demo's chance, no secret)


def ids(random: Random) -> IdAt:
    made = 0

    def id_at(prefix: str, moment: int) -> str:
        nonlocal made
        made = (made + 1) % 1_000_000
        return f"{prefix}_{moment * 1_000_000 + made:014x}{random.getrandbits(56):014x}"

    return id_at


def dated(record: R, prefix: str, id_at: IdAt, moment: int) -> R:
    """The record with an identifier of the time at which it was made; rules take that of the present."""
    return replace(record, id=id_at(prefix, moment))


def moved(moves: Moves[R, D], record: R, verb: str, details: D) -> R:
    """The record after a move at that time."""
    return replace(moves.apply(record, verb, details), updated=details.now)


def noise(number: int, at: int, period: int) -> float:
    """From -1 to 1, smooth over `period` seconds, the same for the same arguments."""
    step, within = divmod(at, period)
    part = within / period
    return _hash(number, step) * (1 - part) + _hash(number, step + 1) * part


def chance(*numbers: int) -> float:
    """From 0 to 1."""
    mixed = 0x2545F491
    for number in numbers:
        mixed = _mixed(mixed ^ (number & _MASK))
    return mixed / _MASK


def _hash(number: int, step: int) -> float:
    return _mixed((number * 0x9E3779B1 ^ step * 0x85EBCA6B) & _MASK) / _MASK * 2 - 1


def _mixed(value: int) -> int:
    value = ((value ^ (value >> 16)) * 0x7FEB352D) & _MASK
    value = ((value ^ (value >> 15)) * 0x846CA68B) & _MASK
    return value ^ (value >> 16)


@lru_cache(maxsize=1024)
def day_start(day: dt.date) -> int:
    return int(dt.datetime(day.year, day.month, day.day, tzinfo=_ZONE).timestamp())


def local_time(moment: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(moment, _ZONE)


def local_date(moment: int) -> dt.date:
    return local_time(moment).date()
