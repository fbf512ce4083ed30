"""Pure: the days of a month as a wall calendar shows them."""

from calendar import Calendar
from collections.abc import Iterable
from datetime import date, timedelta, tzinfo

import msgspec

from steward.kit.domain.days import date_of, end_of, midnight
from steward.work_orders.model import WorkOrder

_MONDAYS_FIRST = Calendar(firstweekday=0)
# Far enough from the end of the calendar that the neighbouring months exist.
_YEARS = range(1970, 3000)


class CalendarDay(msgspec.Struct, frozen=True):
    date: date
    within: bool
    orders: list[WorkOrder]


def first_of_month(text: str | None, today: date) -> date:
    """`2026-11`; this month for an absent or invalid value."""
    try:
        year, month = (text or "").split("-")
        found = date(int(year), int(month), 1)
    except (ValueError, OverflowError):
        return today.replace(day=1)
    return found if found.year in _YEARS else today.replace(day=1)


def neighbours(month: date) -> tuple[date, date]:
    """The months before and after."""
    before = (month - timedelta(days=1)).replace(day=1)
    after = (month + timedelta(days=31)).replace(day=1)
    return before, after


def span(month: date, zone: tzinfo) -> tuple[int, int]:
    """The seconds from the first day that the calendar shows until after the last."""
    days = list(_MONDAYS_FIRST.itermonthdates(month.year, month.month))
    return midnight(days[0], zone), end_of(days[-1], zone)


def weeks(month: date, orders: Iterable[WorkOrder], zone: tzinfo) -> list[list[CalendarDay]]:
    by_day: dict[date, list[WorkOrder]] = {}
    for order in orders:
        if order.sla_resolution_deadline is not None:
            due = date_of(order.sla_resolution_deadline, zone)
            by_day.setdefault(due, []).append(order)
    days = [
        CalendarDay(day, day.month == month.month, by_day.get(day, []))
        for day in _MONDAYS_FIRST.itermonthdates(month.year, month.month)
    ]
    return [days[start : start + 7] for start in range(0, len(days), 7)]
