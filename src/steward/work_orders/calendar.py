"""Working time: when an organization's clocks run. Pure, in Unix seconds, right across daylight-saving changes."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

_MINUTE = Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$|^24:00$", examples=["08:00"])]

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class Hours(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A stretch of a day, by the clock on the wall. `24:00` ends a day."""

    start: Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", examples=["08:00"])] = msgspec.field(
        name="from"
    )
    end: _MINUTE = msgspec.field(name="to")


DayHours = Annotated[list[Hours], Meta(max_length=10)]


class AlwaysOpen(msgspec.Struct, frozen=True, tag="24x7", tag_field="mode", forbid_unknown_fields=True):
    """The clocks always run."""


class WeeklyHours(msgspec.Struct, frozen=True, tag="weekly", tag_field="mode", forbid_unknown_fields=True):
    """The clocks run in these hours, except on holidays."""

    timezone: str
    monday: DayHours = []
    tuesday: DayHours = []
    wednesday: DayHours = []
    thursday: DayHours = []
    friday: DayHours = []
    saturday: DayHours = []
    sunday: DayHours = []
    holidays: Annotated[list[date], Meta(max_length=500)] = []

    def on(self, day: date) -> list[Hours]:
        if day in self.holidays:
            return []
        hours: list[Hours] = getattr(self, WEEKDAYS[day.weekday()])
        return hours


Calendar = AlwaysOpen | WeeklyHours


def after(calendar: Calendar, start: int, seconds: int) -> int:
    """The moment at which this much working time has passed since `start`."""
    if isinstance(calendar, AlwaysOpen):
        return start + seconds
    for opens, closes in _open_from(calendar, start):
        begins = max(opens, start)
        if closes - begins >= seconds:
            return begins + seconds
        seconds -= closes - begins
    raise ValueError("the calendar never opens")


def between(calendar: Calendar, start: int, end: int) -> int:
    """How much working time lies between two moments."""
    if end <= start:
        return 0
    if isinstance(calendar, AlwaysOpen):
        return end - start
    total = 0
    for opens, closes in _open_from(calendar, start):
        if opens >= end:
            break
        total += min(closes, end) - max(opens, start)
    return total


# Past this, a calendar that is closed for ever would have us look for ever.
_LONGEST_DAYS = 366 * 30


def _open_from(calendar: WeeklyHours, start: int) -> Iterator[tuple[int, int]]:
    """The open stretches that end after `start`, in order."""
    zone = ZoneInfo(calendar.timezone)
    # A day earlier than it looks: the date on the wall may be behind.
    day = datetime.fromtimestamp(start, zone).date() - timedelta(days=1)
    for _ in range(_LONGEST_DAYS):
        for hours in calendar.on(day):
            opens, closes = _moment(zone, day, hours.start), _moment(zone, day, hours.end)
            if closes > start and closes > opens:
                yield opens, closes
        day += timedelta(days=1)


@lru_cache(maxsize=4096)
def _moment(zone: ZoneInfo, day: date, clock: str) -> int:
    """A time on the wall as a moment. One that a change of clocks skips falls behind the change."""
    if clock == "24:00":
        day, clock = day + timedelta(days=1), "00:00"
    local = datetime.combine(day, time.fromisoformat(clock), tzinfo=zone)
    return int(local.astimezone(UTC).timestamp())
