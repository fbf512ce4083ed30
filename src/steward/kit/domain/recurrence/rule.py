"""Parses a rule, or reports the invalid part."""

import datetime as dt
import re
from contextlib import suppress

import msgspec

MAX_DATES = 366

_FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_DAY_NAMES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BY_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_NUMBER = re.compile(r"[+-]?\d{1,3}")
_MOMENT = re.compile(r"(\d{8})(T\d{6}Z?)?")
# Parts with numbers: the largest one, whether numbers may count from the end, and the frequencies that the RFC allows.
_NUMBERS = {
    "BYMONTH": (12, False, _FREQUENCIES),
    "BYMONTHDAY": (31, True, ("DAILY", "MONTHLY", "YEARLY")),
    "BYYEARDAY": (366, True, ("YEARLY",)),
    "BYWEEKNO": (53, True, ("YEARLY",)),
    "BYSETPOS": (366, True, _FREQUENCIES),
}
_KNOWN = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", *_NUMBERS}


class RecurrenceError(ValueError):
    """The message follows the name of the field: "has COUNT, which must be …"."""


class Until(msgspec.Struct, frozen=True):
    """The last moment at which a date may begin: the end of a day, a local time, or a time in UTC."""

    day: dt.date
    time: dt.time | None = None
    utc: bool = False

    def is_before(self, local: dt.datetime, zone: dt.tzinfo) -> bool:
        if self.time is None:
            return self.day < local.date()
        if self.utc:
            return dt.datetime.combine(self.day, self.time, dt.UTC) < local.replace(tzinfo=zone)
        return dt.datetime.combine(self.day, self.time) < local


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """`by_day` are (ordinal, weekday), with ordinal 0 for each such weekday."""

    frequency: str
    interval: int = 1
    count: int | None = None
    until: Until | None = None
    week_start: int = 0
    by_day: frozenset[tuple[int, int]] = frozenset()
    by_month: frozenset[int] = frozenset()
    by_month_day: frozenset[int] = frozenset()
    by_year_day: frozenset[int] = frozenset()
    by_week: frozenset[int] = frozenset()
    by_position: frozenset[int] = frozenset()


def parse(text: str) -> Rule:
    """Raises RecurrenceError. A rule needs no end; it never has two."""
    parts = _parts(text)
    frequency = parts.get("FREQ", "")
    if frequency in {"SECONDLY", "MINUTELY", "HOURLY"}:
        raise RecurrenceError("repeats by days at the most: FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY")
    if frequency not in _FREQUENCIES:
        raise RecurrenceError("needs FREQ, which must be DAILY, WEEKLY, MONTHLY or YEARLY")
    if "COUNT" in parts and "UNTIL" in parts:
        raise RecurrenceError("has two ends: take either COUNT or UNTIL")
    rule = Rule(
        frequency=frequency,
        interval=_whole(parts, "INTERVAL", 999) or 1,
        count=_whole(parts, "COUNT", MAX_DATES),
        until=_until(parts["UNTIL"]) if "UNTIL" in parts else None,
        week_start=_week_start(parts.get("WKST", "MO")),
        by_day=_by_day(parts["BYDAY"], frequency) if "BYDAY" in parts else frozenset(),
        by_month=_numbers(parts, "BYMONTH", frequency),
        by_month_day=_numbers(parts, "BYMONTHDAY", frequency),
        by_year_day=_numbers(parts, "BYYEARDAY", frequency),
        by_week=_numbers(parts, "BYWEEKNO", frequency),
        by_position=_numbers(parts, "BYSETPOS", frequency),
    )
    if rule.by_week and any(ordinal for ordinal, _ in rule.by_day):
        raise RecurrenceError("has BYWEEKNO beside a numbered day in BYDAY, which do not go together")
    if rule.by_position and not any(
        (rule.by_day, rule.by_month, rule.by_month_day, rule.by_year_day, rule.by_week)
    ):
        raise RecurrenceError("has BYSETPOS, which needs another part that begins with BY")
    return rule


def _parts(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in text.strip().upper().removeprefix("RRULE:").split(";"):
        name, sign, value = part.partition("=")
        if not sign or not value:
            raise RecurrenceError("must be a rule such as FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10")
        if name not in _KNOWN:
            raise RecurrenceError(f"has {name[:20]}, which is not taken here")
        if name in parts:
            raise RecurrenceError(f"has {name} more than once")
        parts[name] = value
    return parts


def _whole(parts: dict[str, str], name: str, most: int) -> int | None:
    if name not in parts:
        return None
    text = parts[name]
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and 1 <= int(text) <= most):
        raise RecurrenceError(f"has {name}, which must be from 1 to {most}")
    return int(text)


def _numbers(parts: dict[str, str], name: str, frequency: str) -> frozenset[int]:
    if name not in parts:
        return frozenset()
    most, from_end, frequencies = _NUMBERS[name]
    if frequency not in frequencies:
        raise RecurrenceError(f"has {name}, which does not go with FREQ={frequency}")
    found = set()
    for text in parts[name].split(","):
        if not _NUMBER.fullmatch(text) or not 1 <= abs(int(text)) <= most or (int(text) < 0 and not from_end):
            raise RecurrenceError(
                f"has {name}, whose numbers must be from 1 to {most}{' or their negatives' * from_end}"
            )
        found.add(int(text))
    return frozenset(found)


def _by_day(text: str, frequency: str) -> frozenset[tuple[int, int]]:
    found = set()
    for part in text.split(","):
        matched = _BY_DAY.fullmatch(part)
        if matched is None or (matched[1] and not 1 <= abs(int(matched[1])) <= 53):
            raise RecurrenceError("has BYDAY, which must name weekdays such as MO or 2MO or -1FR")
        ordinal = int(matched[1] or 0)
        if ordinal and frequency not in {"MONTHLY", "YEARLY"}:
            raise RecurrenceError(f"has a numbered day in BYDAY, which does not go with FREQ={frequency}")
        found.add((ordinal, _DAY_NAMES.index(matched[2])))
    return frozenset(found)


def _week_start(text: str) -> int:
    if text not in _DAY_NAMES:
        raise RecurrenceError("has WKST, which must be a weekday such as MO")
    return _DAY_NAMES.index(text)


def _until(text: str) -> Until:
    matched = _MOMENT.fullmatch(text)
    if matched is not None:
        with suppress(ValueError):
            day = dt.date.fromisoformat(matched[1])
            if matched[2] is None:
                return Until(day)
            return Until(day, dt.time.fromisoformat(matched[2].rstrip("Z")), utc=matched[2].endswith("Z"))
    raise RecurrenceError(
        "has UNTIL, which must be a date such as 20261231 or a time such as 20261231T090000Z"
    )
