"""Moments and durations as people read them, in the zone of the person in front of the browser."""

import calendar
from contextvars import ContextVar
from datetime import UTC, datetime, tzinfo

import msgspec

from steward.kit.web.html import Html

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
# By number; there is no month 0.
_MONTHS = tuple(calendar.month_name)
_WEEKDAYS = tuple(calendar.day_abbr)
_TIME = Html('<time datetime="%s" title="%s">%s</time>')


class _Viewer(msgspec.Struct, frozen=True):
    """The time of the request and the viewer's zone."""

    now: int
    zone: tzinfo = UTC


_NO_ONE = _Viewer(0)
_viewer: ContextVar[_Viewer] = ContextVar("viewer", default=_NO_ONE)


def set_viewer(now: int, zone: tzinfo) -> None:
    """For the rest of this request."""
    _viewer.set(_Viewer(now, zone))


def now() -> int:
    """When the request came, in Unix seconds."""
    return _viewer.get().now


def _local(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, _viewer.get().zone)


# `strftime` takes four times as long, and a list has a hundred moments.
def _date(moment: datetime) -> str:
    return f"{moment.day} {_MONTHS[moment.month]} {moment.year}"


def _short_date(moment: datetime) -> str:
    return f"{moment.day} {_MONTHS[moment.month][:3]} {moment.year}"


def _time(moment: datetime) -> str:
    return f"{moment.hour:02}:{moment.minute:02}"


def _full(moment: datetime) -> str:
    return f"{_date(moment)}, {_time(moment)} {moment.tzname()}"


def full_time(seconds: int) -> str:
    return _full(_local(seconds))


def when(seconds: int | None) -> str:
    """`3 h ago`, with the exact time as a title."""
    if seconds is None:
        return ""
    moment = _local(seconds)
    exact = datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
    return _TIME(f"{exact}Z", _full(moment), relative(seconds, now(), moment))


def clock(seconds: int) -> str:
    return _time(_local(seconds))


def day(seconds: int) -> str:
    moment = _local(seconds)
    return f"{_WEEKDAYS[moment.weekday()]} {_short_date(moment)}"


def local_input(seconds: int | str | None) -> str:
    """The value of an input for a moment; submitted text stays as it is."""
    return _local(seconds).isoformat()[:16] if isinstance(seconds, int) else seconds or ""


def relative(seconds: int, at: int, moment: datetime) -> str:
    passed = at - seconds
    if abs(passed) >= 7 * _DAY:
        return _short_date(moment)
    if abs(passed) < _MINUTE:
        return "just now"
    text = duration(abs(passed))
    return f"{text} ago" if passed > 0 else f"in {text}"


def duration(seconds: int) -> str:
    """In the largest unit only."""
    if seconds < _MINUTE:
        return f"{seconds} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < _DAY:
        return f"{seconds // _HOUR} h"
    days = seconds // _DAY
    return f"{days} day{'s' if days != 1 else ''}"
