"""Cells that only lists of work orders have."""

from typing import Any

from steward.kit.web import badges
from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html
from steward.work_orders.rules import FINAL

_CHOICE = Html('<input type="checkbox" form="bulk" name="ids" value="%s" aria-label="Choose No. %s">')


def due(_column: ListedColumn, record: Any, value: int | None) -> str:
    if record.status in FINAL:
        return badges.NOTHING
    return badges.due(value, paused=record.sla_paused_since is not None)


def choice(_column: ListedColumn, record: Any, value: str) -> str:
    return _CHOICE(value, record.number)
