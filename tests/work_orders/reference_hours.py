"""Working time in its plainest form: walk the calendar. Minute by minute, or day by day as the service once did."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from steward.work_orders.sla.business_hours import WEEKDAYS, OpeningHours, WeeklyHours


def hours_on(calendar: WeeklyHours, day: date) -> tuple[OpeningHours, ...]:
    hours: tuple[OpeningHours, ...] = (
        () if day in calendar.holidays else getattr(calendar, WEEKDAYS[day.weekday()])
    )
    return hours


def is_open(calendar: WeeklyHours, moment: int) -> bool:
    """By the clock on the wall, for one moment."""
    wall = datetime.fromtimestamp(moment, ZoneInfo(calendar.timezone))
    clock = f"{wall:%H:%M}"
    return any(hours.start <= clock < hours.end for hours in hours_on(calendar, wall.date()))


def minutes_between(calendar: WeeklyHours, start: int, end: int) -> int:
    return sum(is_open(calendar, moment) for moment in range(start, end, 60))


def after_minutes(calendar: WeeklyHours, start: int, minutes: int) -> int:
    """The end of the given number of open minutes, found by trying each minute."""
    moment = start
    while minutes:
        if is_open(calendar, moment):
            minutes -= 1
        moment += 60
    return moment


def after_days(calendar: WeeklyHours, start: int, seconds: int) -> int:
    """Day by day. Wrong where hours begin or end within an hour that the clocks skip or repeat."""
    for opens, closes in _open_from(calendar, start):
        begins = max(opens, start)
        if closes - begins >= seconds:
            return begins + seconds
        seconds -= closes - begins
    raise AssertionError("walked for ever")


def between_days(calendar: WeeklyHours, start: int, end: int) -> int:
    total = 0
    for opens, closes in _open_from(calendar, start):
        if opens >= end:
            break
        total += min(closes, end) - max(opens, start)
    return total


def _open_from(calendar: WeeklyHours, start: int) -> Iterator[tuple[int, int]]:
    zone = ZoneInfo(calendar.timezone)
    day = datetime.fromtimestamp(start, zone).date() - timedelta(days=1)
    for _ in range(366 * 30):
        for hours in hours_on(calendar, day):
            opens, closes = _moment(zone, day, hours.start), _moment(zone, day, hours.end)
            if closes > start and closes > opens:
                yield opens, closes
        day += timedelta(days=1)


def _moment(zone: ZoneInfo, day: date, clock: str) -> int:
    if clock == "24:00":
        day, clock = day + timedelta(days=1), "00:00"
    return int(datetime.combine(day, time.fromisoformat(clock), tzinfo=zone).astimezone(UTC).timestamp())
