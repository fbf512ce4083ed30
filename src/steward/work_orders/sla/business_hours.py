"""Working time: when an organization's clocks run. Pure, in Unix seconds, right across daylight-saving changes."""

from datetime import date
from functools import lru_cache
from typing import Annotated

import msgspec
from msgspec import Meta

from steward.kit.domain.fields import MUST
from steward.work_orders.sla.clock_changes import stretches
from steward.work_orders.sla.working_time import Span, WorkingTime

_BEGIN = Annotated[
    str,
    Meta(
        pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
        extra={MUST: "be a time of day from 00:00 to 23:59"},
        examples=["08:00"],
    ),
]
_END = Annotated[
    str,
    Meta(
        pattern=r"^([01]\d|2[0-3]):[0-5]\d$|^24:00$",
        extra={MUST: "be a time of day from 00:00 to 24:00"},
        examples=["08:00"],
    ),
]

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MAX_HOURS_A_DAY = 10
MAX_HOLIDAYS = 500

# Deadlines beyond this are not computed, so that their cost is bounded.
HORIZON_SECONDS = 30 * 366 * 86_400


class OpeningHours(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A span of a day, in wall-clock time. `24:00` ends a day."""

    start: _BEGIN = msgspec.field(name="from")
    end: _END = msgspec.field(name="to")


DayHours = Annotated[tuple[OpeningHours, ...], Meta(max_length=MAX_HOURS_A_DAY)]


class AlwaysOpen(msgspec.Struct, frozen=True, tag="24x7", tag_field="mode", forbid_unknown_fields=True):
    """The clocks always run."""


class WeeklyHours(
    msgspec.Struct, frozen=True, cache_hash=True, tag="weekly", tag_field="mode", forbid_unknown_fields=True
):
    """The clocks run in these hours, except on holidays."""

    timezone: Annotated[str, Meta(max_length=100)]
    monday: DayHours = ()
    tuesday: DayHours = ()
    wednesday: DayHours = ()
    thursday: DayHours = ()
    friday: DayHours = ()
    saturday: DayHours = ()
    sunday: DayHours = ()
    holidays: Annotated[tuple[date, ...], Meta(max_length=MAX_HOLIDAYS)] = ()


Calendar = AlwaysOpen | WeeklyHours


def after(calendar: Calendar, start: int, seconds: int) -> int | None:
    """The time at which this much working time has passed since `start`; None beyond the horizon."""
    if isinstance(calendar, AlwaysOpen):
        return start + seconds
    working = _working(calendar)
    for begins, ends, offset in stretches(calendar.timezone, start, start + HORIZON_SECONDS):
        before = working.until(begins + offset)
        passes = working.until(ends + offset) - before
        if passes >= seconds:
            return working.reached(before + seconds, begins + offset) - offset
        seconds -= passes
    return None


def between(calendar: Calendar, start: int, end: int) -> int:
    """The working time between two times."""
    if end <= start:
        return 0
    if isinstance(calendar, AlwaysOpen):
        return end - start
    working = _working(calendar)
    return sum(
        working.until(ends + offset) - working.until(begins + offset)
        for begins, ends, offset in stretches(calendar.timezone, start, end)
    )


@lru_cache(maxsize=128)
def _working(calendar: WeeklyHours) -> WorkingTime:
    week = [
        [Span(_seconds(hours.start), _seconds(hours.end)) for hours in getattr(calendar, day)]
        for day in WEEKDAYS
    ]
    return WorkingTime(week, calendar.holidays)


def _seconds(clock: str) -> int:
    return int(clock[:2]) * 3600 + int(clock[3:]) * 60
