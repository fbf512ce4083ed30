"""Cells that show an event's record in the log."""

from typing import Any

from steward.kit.web import cells
from steward.kit.web.cells import ListedColumn


def about(column: ListedColumn, record: Any, value: Any) -> str:
    """As far as the event itself names it."""
    what = value.object
    name = what.get("title") or what.get("name") or what.get("visitorName")
    return str(name) if name else cells.code(column, record, what.get("id"))
