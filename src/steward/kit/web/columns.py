"""The columns of a list, and its rows as HTML."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from markupsafe import Markup

from steward.kit.db.lookup import Lookup
from steward.kit.security.permissions import Need
from steward.kit.web import cells
from steward.kit.web.badges import NOTHING
from steward.kit.web.cells import Cell, ListedColumn
from steward.kit.web.html import escaped
from steward.kit.web.page import PageRequest

_CSS: dict[Cell, str] = {cells.link: "grow", cells.number: "number"}


class Column(msgspec.Struct, frozen=True):
    """`cell` is one of `kit/web/cells.py`, or the slice's own."""

    field: str
    title: str
    cell: Cell = cells.text
    # Whose names replace the identifiers in this column.
    lookup: Lookup | None = None
    # The value of `sort` for this column.
    sort: str | None = None
    # Whether it is shown by default.
    shown: bool = True
    # A checkbox or buttons: always shown, with a title for screen readers only.
    is_control: bool = False
    # The permission to see it, if one is needed.
    permission: Need | None = None
    css: str = ""

    @property
    def css_class(self) -> str:
        return self.css or _CSS.get(self.cell, "")

    @property
    def is_number(self) -> bool:
        return self.cell is cells.number


def table_rows(
    records: Iterable[Any],
    columns: tuple[Column, ...],
    names: Mapping[str, Mapping[str, str]],
    request: PageRequest[Any, Any],
    *,
    path: str,
    here: str,
    context: Any = None,
) -> Markup:
    """`names` holds the names of records by kind; `path` and `here` are the list's path and its address with filters."""
    shown = []
    for column in columns:
        lookup = column.lookup
        listed = ListedColumn(
            title=column.title,
            path=path,
            here=here,
            names={} if lookup is None else names[lookup.kind],
            link=lookup.path if lookup is not None and request.may(lookup.permission) else None,
            request=request,
            context=context,
        )
        css = column.css_class
        shown.append((column.cell, listed, column.field, _td(css), _td(f"{css} is-none".strip())))
    return Markup("".join(_row(record, shown) for record in records))  # noqa: S704 (cells are escaped)


def _td(css: str) -> str:
    return f'<td class="{css}">' if css else "<td>"


def _row(record: Any, shown: list[tuple[Cell, ListedColumn, str, str, str]]) -> str:
    parts = ["<tr>"]
    for cell, listed, field, start, start_of_none in shown:
        html = escaped(cell(listed, record, getattr(record, field)))
        parts += (start_of_none if html == NOTHING else start, html, "</td>")
    parts.append("</tr>\n")
    return "".join(parts)
