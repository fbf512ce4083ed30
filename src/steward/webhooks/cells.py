"""Cells that only lists of webhooks have."""

from typing import Any

from markupsafe import Markup

from steward.kit.web import cells
from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html

_SHOWN = 3
_EVENT = Html("<code>%s</code> ")
_MORE = Html('<span class="quiet nowrap">and %s more</span>')


def events(_column: ListedColumn, _record: Any, value: list[str]) -> str:
    more = len(value) - _SHOWN
    return Markup().join([*map(_EVENT, value[:_SHOWN]), _MORE(more) if more > 0 else ""])


def when(column: ListedColumn, record: Any, value: int) -> str:
    """Times of webhooks are milliseconds."""
    return cells.when(column, record, value // 1000)
