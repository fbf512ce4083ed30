"""Cells that only lists of alert rules have."""

from typing import Any

import msgspec
from markupsafe import Markup

from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html

_ON = Markup('<span class="badge is-completed">On</span>')
_OFF = Markup('<span class="badge">Off</span>')
_ASSET = Html('<a href="/app/assets/%s">%s</a>')
_TYPE = Html('<span class="quiet">All of</span> <a href="/app/asset-types/%s">%s</a>')
_UNKNOWN = "Unknown"


class ListedRules(msgspec.Struct, frozen=True):
    """What cells need beyond the rules: their conditions in words, and names by identifier."""

    words: dict[str, str]
    type_names: dict[str, str]
    asset_names: dict[str, str]


def conditions(column: ListedColumn, record: Any, _value: Any) -> str:
    return column.context.words[record.id]  # type: ignore[no-any-return]


def switch(_column: ListedColumn, _record: Any, value: bool) -> str:
    return _ON if value else _OFF


def watched(column: ListedColumn, record: Any, value: str) -> str:
    found: ListedRules = column.context
    if record.asset_id:
        return _ASSET(record.asset_id, found.asset_names.get(record.asset_id, _UNKNOWN))
    return _TYPE(value, found.type_names.get(value, _UNKNOWN))
