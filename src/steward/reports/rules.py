"""Pure: the range of a report, and figures from rows."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta, tzinfo

import msgspec

from steward.kit.domain.days import date_of, day_named, end_of, midnight
from steward.kit.domain.problems import Invalid
from steward.reports.model import ReportSpan

WORKDAY_HOURS = 10
_WEEKDAYS = 5
_MAX_DAYS = 3660
_FIRST, _LAST = date(1970, 1, 2), date(2999, 12, 31)


def span(since: str | None, until: str | None, *, days: int, now: int, zone: tzinfo) -> ReportSpan:
    """Whole days, the last one included; the report's default range if none is given."""
    today = date_of(now, zone)
    last = _date("until", until) or today
    first = _date("since", since) or max(_FIRST, last - timedelta(days=days - 1))
    if first > last:
        raise Invalid("since", "is later than the last day")
    if (last - first).days > _MAX_DAYS:
        raise Invalid("since", "is more than ten years before the last day")
    return ReportSpan(midnight(first, zone), end_of(last, zone), zone)


def _date(field: str, text: str | None) -> date | None:
    if text is None:
        return None
    found = day_named(field, text)
    if not _FIRST <= found <= _LAST:
        raise Invalid(field, "is too far away")
    return found


def days_of(found: ReportSpan) -> tuple[date, date]:
    """The first and the last day of a span."""
    return date_of(found.start, found.zone), date_of(found.end, found.zone) - timedelta(days=1)


def bookable_seconds(found: ReportSpan) -> int:
    """The working hours of a span: ten on each day from Monday to Friday."""
    first, last = days_of(found)
    count = (last - first).days + 1
    workdays = sum((first + timedelta(days=at)).weekday() < _WEEKDAYS for at in range(count))
    return workdays * WORKDAY_HOURS * 3600


def share(part: int, whole: int) -> float | None:
    return None if whole == 0 else part / whole


class ReportedDevice(msgspec.Struct, frozen=True):
    online: bool
    created: int


def availability(
    found: ReportSpan,
    now: int,
    devices: Mapping[str, ReportedDevice],
    changes: Iterable[tuple[str, int, str | None]],
) -> dict[str, tuple[float, int, int]]:
    """For each device: the share of the time that it was online, the seconds that it wasn't, and how often
    that began.

    A change says what a device became; before its first change it was the opposite, and one without changes
    had its present status all the time. So the changes extend until now, also if the span ends before. A
    device younger than the span counts from its creation; one created later doesn't count.
    """
    end = min(found.end, now)
    counted = {id: device for id, device in devices.items() if device.created < end}
    starts = {id: max(found.start, device.created) for id, device in counted.items()}
    states: dict[str, tuple[bool, int]] = {}
    offline, times = dict.fromkeys(counted, 0), dict.fromkeys(counted, 0)
    for id, moment, became in changes:
        if id not in counted:
            continue
        is_online, at = became == "true", min(moment, end)
        was, since = states.get(id, (not is_online, starts[id]))
        if not was:
            offline[id] += max(0, at - since)
        if was and not is_online and moment < end:
            times[id] += 1
        states[id] = (is_online, at)
    for id, device in counted.items():
        is_online, since = states.get(id, (device.online, starts[id]))
        if not is_online:
            offline[id] += max(0, end - since)
    return {
        id: (1 - seconds / max(1, end - starts[id]), seconds, times[id]) for id, seconds in offline.items()
    }
