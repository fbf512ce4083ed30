"""The dates that a rule names, from its first one on.

Each period of a rule (a day, a week, a month or a year) is filtered by the rule's parts. A rule that names no date costs as much
as the periods up to the last day, so the last day bounds every rule.
"""

import calendar
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from functools import partial
from itertools import islice

from msgspec.structs import replace

from steward.kit.domain.recurrence.rule import Rule

MAX_DAYS = 3653

# The number of a day in its period, counted from 1, and how many the period has.
_Place = Callable[[date], tuple[int, int]]
_Filter = Callable[[date], bool]


def dates(rule: Rule, first: date, last: date) -> Iterator[date]:
    """From `first` to `last`, regardless of COUNT and UNTIL."""
    filters = _filters(_completed(rule, first))
    for period in _periods(rule, first, last):
        named: Iterable[date] = period
        for keep in filters:
            named = filter(keep, named)
        if rule.by_position:
            found = list(named)
            places = {p - 1 if p > 0 else len(found) + p for p in rule.by_position}
            named = [day for place, day in enumerate(found) if place in places]
        for day in named:
            if first <= day <= last:
                yield day


def first_dates(rule: Rule, first: date, *, most: int) -> list[date]:
    """At most so many, within ten years."""
    return list(islice(dates(rule, first, first + timedelta(days=MAX_DAYS)), most))


def _periods(rule: Rule, first: date, last: date) -> Iterator[Iterator[date]]:
    """The days of each period that the rule's interval reaches."""
    if rule.frequency in {"DAILY", "WEEKLY"}:
        length = 1 if rule.frequency == "DAILY" else 7
        start = first.toordinal() - (first.weekday() - rule.week_start) % length
        for day in range(start, last.toordinal() + 1, length * rule.interval):
            yield map(date.fromordinal, range(day, day + length))
        return
    length = 1 if rule.frequency == "MONTHLY" else 12
    start = first.year * 12 + (first.month - 1 if length == 1 else 0)
    for month in range(start, last.year * 12 + last.month, length * rule.interval):
        yield map(date.fromordinal, range(_first_ordinal(month), _first_ordinal(month + length)))


def _first_ordinal(month: int) -> int:
    return date(month // 12, month % 12 + 1, 1).toordinal()


def _completed(rule: Rule, first: date) -> Rule:
    """With what the rule leaves open taken from its first date."""
    if rule.by_day or rule.by_month_day or rule.by_year_day or rule.frequency == "DAILY":
        return rule
    if rule.frequency == "WEEKLY" or rule.by_week:
        return replace(rule, by_day=frozenset({(0, first.weekday())}))
    month = rule.by_month or (frozenset({first.month}) if rule.frequency == "YEARLY" else frozenset())
    return replace(rule, by_month=month, by_month_day=frozenset({first.day}))


def _filters(rule: Rule) -> list[_Filter]:
    """The quick ones first."""
    # Numbered weekdays are counted through the month, or through a year without months.
    nth_place = _place_in_year if rule.frequency == "YEARLY" and not rule.by_month else _place_in_month
    filters: list[_Filter] = []
    if months := rule.by_month:
        filters.append(lambda day: day.month in months)
    if weekdays := {weekday for _, weekday in rule.by_day}:
        filters.append(lambda day: day.weekday() in weekdays)
    if rule.by_month_day:
        filters.append(partial(_is_counted, _place_in_month, rule.by_month_day))
    if rule.by_year_day:
        filters.append(partial(_is_counted, _place_in_year, rule.by_year_day))
    if any(ordinal for ordinal, _ in rule.by_day):
        filters.append(partial(_is_nth, nth_place, rule.by_day))
    if rule.by_week:
        filters.append(partial(_is_counted, partial(_place_of_week, rule.week_start), rule.by_week))
    return filters


def _is_counted(place: _Place, wanted: frozenset[int], day: date) -> bool:
    number, of = place(day)
    return number in wanted or number - of - 1 in wanted


def _is_nth(place: _Place, wanted: frozenset[tuple[int, int]], day: date) -> bool:
    number, of = place(day)
    ordinals = (0, (number - 1) // 7 + 1, -((of - number) // 7 + 1))
    return any((ordinal, day.weekday()) in wanted for ordinal in ordinals)


def _place_in_month(day: date) -> tuple[int, int]:
    return day.day, calendar.monthrange(day.year, day.month)[1]


def _place_in_year(day: date) -> tuple[int, int]:
    return day.toordinal() - date(day.year, 1, 1).toordinal() + 1, 365 + calendar.isleap(day.year)


def _place_of_week(week_start: int, day: date) -> tuple[int, int]:
    """The year of a week is the one that has most of its days."""
    middle = day + timedelta(days=3 - (day.weekday() - week_start) % 7)
    last = date(middle.year, 12, 28)
    last_middle = last + timedelta(days=3 - (last.weekday() - week_start) % 7)
    return (_place_in_year(middle)[0] - 1) // 7 + 1, (_place_in_year(last_middle)[0] - 1) // 7 + 1
