"""Cells that only lists of schedules have."""

from typing import Any

from steward.kit.web import moments
from steward.kit.web.badges import NOTHING
from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html

_DAY = Html('<span class="nowrap"><span class="cell-name quiet">%s </span>%s</span>')


def day(column: ListedColumn, _record: Any, value: int | None) -> str:
    return NOTHING if value is None else _DAY(column.title, moments.day(value))
