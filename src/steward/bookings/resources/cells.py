"""Cells that only lists of resources have."""

from typing import Any

from steward.kit.web import cells
from steward.kit.web.cells import ListedColumn


def minutes(column: ListedColumn, record: Any, value: int) -> str:
    return cells.named(column, record, value and f"{value} min")


def check_in(column: ListedColumn, record: Any, value: bool) -> str:
    return cells.named(column, record, value and f"within {record.release_after_minutes} min")
