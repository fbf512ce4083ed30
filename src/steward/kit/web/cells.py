"""Cells of a list: how it shows a value. Slices have more in their own `cells.py`."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from markupsafe import Markup

from steward.kit.web import badges, moments
from steward.kit.web.badges import NOTHING
from steward.kit.web.html import Html
from steward.kit.web.page import PageRequest

_LINK = Html('<a class="row-link" href="%s/%s">%s</a>')
_CODE = Html("<code>%s</code>")
_NUMBER = Html('<span class="quiet"><span class="cell-name">%s </span>%s</span>')
_WHEN = Html('<span class="quiet nowrap"><span class="cell-name">%s </span>%s</span>')
_REFERENCE = Html('<a href="%s/%s">%s</a>')
_NAMED = Html('<span class="cell-name quiet">%s </span>%s')
_DATED = Html('<span class="nowrap"><span class="cell-name quiet">%s </span>%s</span>')
_TIME = Html('<time datetime="%s" title="%s">%s, %s</time>')
_COUNTED = Html('%s<span class="cell-name quiet"> %s</span>')
_UNKNOWN = "Unknown"
_NO = Markup('<span class="quiet">No</span>')


class ListedColumn(msgspec.Struct, frozen=True):
    """A column for one viewer: what its cells need in addition to the record and its value."""

    title: str
    # The path of the list; records are below it.
    path: str
    # The address of the list with the viewer's filters.
    here: str
    # The names of the records that this column refers to.
    names: Mapping[str, str]
    # The path of those records, if the viewer may see them.
    link: str | None
    request: PageRequest[Any, Any]
    # What the list's `context` has read for the cells.
    context: Any


# Text is escaped, markup is not.
Cell = Callable[[ListedColumn, Any, Any], str]


def text(_column: ListedColumn, _record: Any, value: Any) -> str:
    return NOTHING if value is None or value == "" else str(value)


def link(column: ListedColumn, record: Any, value: Any) -> str:
    return _LINK(column.path, record.id, value)


def row_link(path: str, otherwise: str = "") -> Cell:
    """For records that are not below the path of their list, or that may have no name."""
    return lambda _column, record, value: _LINK(path, record.id, value or otherwise)


def counted(noun: str) -> Cell:
    return lambda _column, _record, value: _COUNTED(value, noun if value == 1 else f"{noun}s")


def joined(_column: ListedColumn, _record: Any, value: Any) -> str:
    return ", ".join(value) if value else NOTHING


def code(_column: ListedColumn, _record: Any, value: Any) -> str:
    return _CODE(value) if value else NOTHING


def number(column: ListedColumn, _record: Any, value: Any) -> str:
    return _NUMBER(column.title, value)


def named(column: ListedColumn, _record: Any, value: Any) -> str:
    """With the column's title, for phones, where the table has no head."""
    return _NAMED(column.title, value) if value else NOTHING


def named_by(text: Callable[[Any], str | None]) -> Cell:
    """What the record says in its place."""
    return lambda column, record, _value: named(column, record, text(record))


def status(_column: ListedColumn, _record: Any, value: Any) -> str:
    return badges.status(value) if value else NOTHING


def priority(_column: ListedColumn, _record: Any, value: Any) -> str:
    return badges.priority(value)


def when(column: ListedColumn, _record: Any, value: Any) -> str:
    return _WHEN(column.title, moments.when(value)) if value else NOTHING


def day(column: ListedColumn, _record: Any, value: Any) -> str:
    return NOTHING if value is None else _DATED(column.title, moments.day(value))


def moment(column: ListedColumn, _record: Any, value: Any) -> str:
    """A day and a time of it, as in a plan."""
    time = NOTHING
    if value:
        time = _TIME(value, moments.full_time(value), moments.day(value), moments.clock(value))
    return _DATED(column.title, time)


def name(column: ListedColumn, _record: Any, value: Any) -> str:
    return column.names.get(value, _UNKNOWN) if value else NOTHING


def names(column: ListedColumn, _record: Any, value: Any) -> str:
    return ", ".join(column.names.get(id, _UNKNOWN) for id in value) if value else NOTHING


def reference(column: ListedColumn, record: Any, value: Any) -> str:
    if not value or column.link is None:
        return name(column, record, value)
    return _REFERENCE(column.link, value, column.names.get(value, _UNKNOWN))


def yes(column: ListedColumn, _record: Any, value: Any) -> str:
    return _NAMED(f"{column.title}:", "Yes" if value else _NO)
