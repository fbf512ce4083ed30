"""Cells that only lists of asset types have."""

from typing import Any

from steward.asset_types.model import TelemetryProperty
from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html
from steward.kit.web.moments import duration

_SHOWN = 4
_NAMES = Html('<span class="cell-name quiet">%s </span>%s')
_MORE = Html('<span class="cell-name quiet">%s </span>%s <span class="quiet">and %s more</span>')
_NONE = Html('<span class="quiet"><span class="cell-name">%s </span>nothing</span>')
_OFFLINE_AFTER = Html('<span class="quiet nowrap"><span class="cell-name">Offline after </span>%s</span>')


def properties(column: ListedColumn, _record: Any, value: list[TelemetryProperty]) -> str:
    names, more = ", ".join(found.name for found in value[:_SHOWN]), len(value) - _SHOWN
    if more > 0:
        return _MORE(column.title, names, more)
    return _NAMES(column.title, names) if value else _NONE(column.title)


def offline_after(_column: ListedColumn, _record: Any, value: int) -> str:
    return _OFFLINE_AFTER(duration(value))
