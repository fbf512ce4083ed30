"""Cells that only lists of quotations have."""

from typing import Any

from steward.kit.domain.money import money
from steward.kit.web import cells
from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html

_TOTAL = Html('<span class="money">%s</span>')


def work_order(column: ListedColumn, record: Any, value: str | None) -> str:
    title = column.names.get(value, "Unknown") if value else "Without a work order"
    return cells.link(column, record, title)


def total(_column: ListedColumn, _record: Any, value: int) -> str:
    return _TOTAL(money(value))
