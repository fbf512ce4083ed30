"""Lists for callers with a narrow permission: hidden fields, and filters that would reveal them."""

from typing import Any

import msgspec

from steward.kit.db.table import Table
from steward.kit.domain.list_query import FilterQuery
from steward.kit.domain.problems import Forbidden
from steward.kit.security.caller import SYNC_FIELDS, OwnOnly


def narrowed(table: Table[Any] | None, item: str, own: OwnOnly | None) -> str:
    """The JSON of a record without what a narrow permission doesn't show."""
    if own is None or table is None or own.sees_sync_fields:
        return item
    record = msgspec.json.decode(item, type=table.record)
    return msgspec.json.encode(table.narrowed(record, own)).decode()


def require_open_filters(query: FilterQuery, own: OwnOnly | None) -> None:
    """403 for filters by hidden fields, since the answer would reveal their values."""
    if own is None or own.sees_sync_fields:
        return
    if hidden := [name for field, name in SYNC_FIELDS.items() if field in query.filters()]:
        raise Forbidden(f"Your permissions don't show {hidden[0]}, so lists can't be filtered by it.")
