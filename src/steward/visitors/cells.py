"""Cells that only lists of visitors have."""

from typing import Any

from steward.kit.web.badges import NOTHING
from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html
from steward.kit.web.moments import clock, day, full_time

_MOMENT = Html('<span class="nowrap"><span class="cell-name quiet">%s </span>%s</span>')
_TIME = Html('<time datetime="%s" title="%s">%s, %s</time>')


def moment(column: ListedColumn, _record: Any, value: int | None) -> str:
    time = _TIME(value, full_time(value), day(value), clock(value)) if value else NOTHING
    return _MOMENT(column.title, time)
