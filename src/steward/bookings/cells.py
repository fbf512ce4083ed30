"""Cells that only lists of bookings have."""

from typing import Any

from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html
from steward.kit.web.moments import clock, day, full_time

_RESOURCE = Html('<a href="/app/bookings/resources/%s">%s</a>')
_TIME = Html(
    '<time class="nowrap" datetime="%s" title="%s">%s, %s \N{EN DASH}</time> <span class="nowrap">%s%s</span>'
)


def resource(_column: ListedColumn, record: Any, value: str) -> str:
    return _RESOURCE(value, record.resource_name)


def time(_column: ListedColumn, record: Any, value: int) -> str:
    first, last = day(value), day(record.end_time)
    until = "" if last == first else f"{last}, "
    return _TIME(value, full_time(value), first, clock(value), until, clock(record.end_time))
