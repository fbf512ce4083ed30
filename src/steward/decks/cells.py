"""Cells that only lists of decks have."""

from typing import Any

from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html

_CARDS = Html('<span class="quiet">%s<span class="cell-name"> card%s</span></span>')


def cards(_column: ListedColumn, _record: Any, value: list[Any]) -> str:
    return _CARDS(len(value), "" if len(value) == 1 else "s")
