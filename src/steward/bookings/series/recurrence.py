"""The rules of RFC 5545 (RRULE) for days: which days a rule names, from a first one on.

Each period of a rule (a day, a week, a month, a year) is looked through day by day, and so is never more than the days up to a
last one: a rule that names no day costs what one costs that names them all.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NoReturn

import msgspec

from steward.kit.domain.problems import Invalid

FIELD = "recurrence"
MAX_DATES = 366
MAX_DAYS = 3653

_DAY_NAMES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BY_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_NUMBER = re.compile(r"[+-]?\d{1,3}")
_MOMENT = re.compile(r"(\d{8})(T\d{6}Z?)?")
# By the names of the parts: the largest number, and whether numbers may count from the end.
_NUMBERS = {
    "BYMONTH": (12, False),
    "BYMONTHDAY": (31, True),
    "BYYEARDAY": (366, True),
    "BYWEEKNO": (53, True),
    "BYSETPOS": (366, True),
}
# Which parts a frequency takes no notice of by the RFC.
_NOT_WITH = {
    "DAILY": {"BYYEARDAY", "BYWEEKNO"},
    "WEEKLY": {"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"},
    "MONTHLY": {"BYYEARDAY", "BYWEEKNO"},
    "YEARLY": set[str](),
}
_SUB_DAILY = {"SECONDLY", "MINUTELY", "HOURLY"}
_KNOWN = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", *_NUMBERS}


class Until(msgspec.Struct, frozen=True):
    """The last moment at which a date may begin: the end of a day, a time of its wall clock, or a time of UTC."""

    day: dt.date
    time: dt.time | None = None
    utc: bool = False


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """`by_day` are (ordinal, weekday) with 0 for every such weekday; the others are numbers as the rule has them."""

    frequency: str
    interval: int = 1
    count: int | None = None
    until: Until | None = None
    week_start: int = 0
    by_day: tuple[tuple[int, int], ...] = ()
    by_month: tuple[int, ...] = ()
    by_month_day: tuple[int, ...] = ()
    by_year_day: tuple[int, ...] = ()
    by_week: tuple[int, ...] = ()
    by_position: tuple[int, ...] = ()


def parse(text: str) -> Rule:
    """422 that says what is wrong with it."""
    parts = _parts(text)
    frequency = parts.get("FREQ", "")
    if frequency in _SUB_DAILY:
        _refuse("repeats by days at the most: FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY")
    if frequency not in _NOT_WITH:
        _refuse("needs FREQ, which must be DAILY, WEEKLY, MONTHLY or YEARLY")
    if ("COUNT" in parts) == ("UNTIL" in parts):
        _refuse("needs an end: either COUNT or UNTIL")
    if misplaced := sorted(_NOT_WITH[frequency] & set(parts)):
        _refuse(f"has {misplaced[0]}, which does not go with FREQ={frequency}")
    rule = Rule(
        frequency=frequency,
        interval=_whole(parts, "INTERVAL", 1, 999),
        count=_whole(parts, "COUNT", 1, MAX_DATES) if "COUNT" in parts else None,
        until=_until(parts["UNTIL"]) if "UNTIL" in parts else None,
        week_start=_week_start(parts.get("WKST", "MO")),
        by_day=_by_day(parts["BYDAY"], frequency) if "BYDAY" in parts else (),
        by_month=_numbers(parts, "BYMONTH"),
        by_month_day=_numbers(parts, "BYMONTHDAY"),
        by_year_day=_numbers(parts, "BYYEARDAY"),
        by_week=_numbers(parts, "BYWEEKNO"),
        by_position=_numbers(parts, "BYSETPOS"),
    )
    if rule.by_week and any(ordinal for ordinal, _ in rule.by_day):
        _refuse("has BYWEEKNO beside a numbered day in BYDAY, which do not go together")
    if rule.by_position and not any(
        (rule.by_day, rule.by_month, rule.by_month_day, rule.by_year_day, rule.by_week)
    ):
        _refuse("has BYSETPOS, which needs another part that begins with BY")
    return rule


def days(rule: Rule, first: dt.date, last: dt.date) -> Iterator[dt.date]:
    """The days that the rule names from `first` to `last`, without a look at COUNT and UNTIL."""
    matches = _matching(rule, first)
    for start, end in _periods(rule, first, last):
        named = [day for day in _span(start, end) if matches(day)]
        if rule.by_position:
            places = {p - 1 if p > 0 else len(named) + p for p in rule.by_position}
            named = [day for place, day in enumerate(named) if place in places]
        for day in named:
            if first <= day <= last:
                yield day


def first_days(rule: Rule, first: dt.date, *, most: int) -> list[dt.date]:
    """At most so many, of those that begin within ten years."""
    return list(islice(days(rule, first, first + dt.timedelta(days=MAX_DAYS)), most))


def _refuse(message: str) -> NoReturn:
    raise Invalid(FIELD, message)


def _parts(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in text.strip().upper().removeprefix("RRULE:").split(";"):
        name, sign, value = part.partition("=")
        if not sign or not value:
            _refuse("must be a rule such as FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10")
        if name not in _KNOWN:
            _refuse(f"has {name[:20]}, which is not taken here")
        if name in parts:
            _refuse(f"has {name} more than once")
        parts[name] = value
    return parts


def _whole(parts: dict[str, str], name: str, otherwise: int, most: int) -> int:
    text = parts.get(name, str(otherwise))
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and 1 <= int(text) <= most):
        _refuse(f"has {name}, which must be from 1 to {most}")
    return int(text)


def _numbers(parts: dict[str, str], name: str) -> tuple[int, ...]:
    if name not in parts:
        return ()
    most, from_end = _NUMBERS[name]
    found = []
    for text in parts[name].split(","):
        if not _NUMBER.fullmatch(text) or not 1 <= abs(int(text)) <= most or (int(text) < 0 and not from_end):
            _refuse(f"has {name}, whose numbers must be from 1 to {most}{' or their negatives' * from_end}")
        found.append(int(text))
    return tuple(found)


def _by_day(text: str, frequency: str) -> tuple[tuple[int, int], ...]:
    found = []
    for part in text.split(","):
        matched = _BY_DAY.fullmatch(part)
        if matched is None or (matched[1] and not 1 <= abs(int(matched[1])) <= 53):
            _refuse("has BYDAY, which must name weekdays such as MO or 2MO or -1FR")
        ordinal = int(matched[1] or 0)
        if ordinal and frequency not in {"MONTHLY", "YEARLY"}:
            _refuse(f"has a numbered day in BYDAY, which does not go with FREQ={frequency}")
        found.append((ordinal, _DAY_NAMES.index(matched[2])))
    return tuple(found)


def _week_start(text: str) -> int:
    if text not in _DAY_NAMES:
        _refuse("has WKST, which must be a weekday such as MO")
    return _DAY_NAMES.index(text)


def _until(text: str) -> Until:
    matched = _MOMENT.fullmatch(text)
    if matched is not None:
        try:
            day = dt.datetime.strptime(matched[1], "%Y%m%d").date()  # noqa: DTZ007 (a day has no zone)
            if matched[2] is None:
                return Until(day)
            time = dt.datetime.strptime(matched[2].rstrip("Z"), "T%H%M%S").time()  # noqa: DTZ007 (nor has a wall clock)
            return Until(day, time, utc=matched[2].endswith("Z"))
        except ValueError:
            pass
    _refuse("has UNTIL, which must be a date such as 20261231 or a time such as 20261231T090000Z")


def _periods(rule: Rule, first: dt.date, last: dt.date) -> Iterator[tuple[dt.date, dt.date]]:
    """First and last day of each period that the rule's interval reaches."""
    if rule.frequency in {"DAILY", "WEEKLY"}:
        length = 1 if rule.frequency == "DAILY" else 7
        start = first - dt.timedelta(days=(first.weekday() - rule.week_start) % 7 if length == 7 else 0)
        while start <= last:
            yield start, start + dt.timedelta(days=length - 1)
            start += dt.timedelta(days=length * rule.interval)
        return
    length = 1 if rule.frequency == "MONTHLY" else 12
    month = first.year * 12 + (first.month - 1 if length == 1 else 0)
    while (start := dt.date(month // 12, month % 12 + 1, 1)) <= last:
        after = month + length
        yield start, dt.date(after // 12, after % 12 + 1, 1) - dt.timedelta(days=1)
        month += length * rule.interval


def _span(start: dt.date, end: dt.date) -> Iterator[dt.date]:
    for ordinal in range(start.toordinal(), end.toordinal() + 1):
        yield dt.date.fromordinal(ordinal)


def _matching(rule: Rule, first: dt.date) -> Callable[[dt.date], bool]:
    """What a rule doesn't say is as on the first day."""
    month, month_day, by_day = rule.by_month, rule.by_month_day, rule.by_day
    if not (by_day or month_day or rule.by_year_day or rule.by_week):
        if rule.frequency == "WEEKLY":
            by_day = ((0, first.weekday()),)
        elif rule.frequency in {"MONTHLY", "YEARLY"}:
            month_day = (first.day,)
            month = month or ((first.month,) if rule.frequency == "YEARLY" else ())
    elif rule.by_week and not (by_day or month_day or rule.by_year_day):
        by_day = ((0, first.weekday()),)
    # Numbered days of a year without months are counted through the year.
    in_year = rule.frequency == "YEARLY" and not rule.by_month

    def matches(day: dt.date) -> bool:
        return (
            (not month or day.month in month)
            and (not month_day or _counted(day.day, _month_length(day), month_day))
            and (not rule.by_year_day or _counted(_year_day(day), _year_length(day), rule.by_year_day))
            and (not rule.by_week or _counted(*_week(day, rule.week_start), rule.by_week))
            and (not by_day or any(_is_nth(day, nth, weekday, in_year=in_year) for nth, weekday in by_day))
        )

    return matches


def _counted(number: int, of: int, wanted: tuple[int, ...]) -> bool:
    return number in wanted or number - of - 1 in wanted


def _is_nth(day: dt.date, nth: int, weekday: int, *, in_year: bool) -> bool:
    if day.weekday() != weekday:
        return False
    number, of = (_year_day(day), _year_length(day)) if in_year else (day.day, _month_length(day))
    return nth == 0 or nth == (number - 1) // 7 + 1 or nth == -((of - number) // 7 + 1)


def _year_day(day: dt.date) -> int:
    return day.timetuple().tm_yday


def _year_length(day: dt.date) -> int:
    return _year_day(dt.date(day.year, 12, 31))


def _month_length(day: dt.date) -> int:
    following = dt.date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return (following - dt.timedelta(days=1)).day


def _week(day: dt.date, week_start: int) -> tuple[int, int]:
    """Its week's number, and how many weeks the year of that week has: a week belongs to the year that has most of it."""
    middle = day + dt.timedelta(days=3 - (day.weekday() - week_start) % 7)
    last = dt.date(middle.year, 12, 28)
    last_middle = last + dt.timedelta(days=3 - (last.weekday() - week_start) % 7)
    return (_year_day(middle) - 1) // 7 + 1, (_year_day(last_middle) - 1) // 7 + 1
