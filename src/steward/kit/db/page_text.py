"""The SQL of a page of a list, put together from what a `Listing` knows."""

import itertools
import re
from collections.abc import Iterable, Mapping

import msgspec

from steward.kit.db.search import WINDOW

# More cost more to plan than they save.
_FEW_WALKS = 4


class RowCondition(msgspec.Struct, frozen=True):
    """What a filter asks for, with `{}` in the place of each value.

    `merged` ones have several values, each of which has a walk of its own along the index; the walks are then merged. So
    a page of several values costs what a page of each would, however unlike their numbers are. How many places they take
    is part of the statement: with an array the planner would guess, and plan anew each time. None stands for an array.
    """

    text: str
    merged: bool = False
    places: int | None = None


class SortBy(msgspec.Struct, frozen=True):
    expression: str
    type: str
    descending: bool


class PageText(msgspec.Struct, frozen=True, kw_only=True):
    """`columns` maps names to expressions over `source`, the identifier first."""

    source: str
    columns: Mapping[str, str]
    item: str | None
    tenant_column: str

    def newest(self, conditions: Iterable[RowCondition]) -> str:
        """Takes the tenant, the identifier before which the page begins, and how many rows; then the values."""
        found = _Conditions(conditions, 4)
        rows = self._rows(
            found,
            f"{self._id_column} < $2",
            selected=self._selected,
            order=f"{self._id_column} DESC",
            merged_order=f'part."{self._id_name}" DESC',
            limit="$3",
        )
        return f'SELECT page."{self._id_name}", {self._json} FROM ({rows}) page'  # noqa: S608 (all parts are literals of ours)

    def among_newest(self, conditions: Iterable[RowCondition]) -> str:
        """The same, of those that have it among the newest."""
        found = _Conditions(conditions, 4)
        return f"""SELECT page."{self._id_name}", {self._json}
                   FROM (SELECT {self._selected}
                         FROM (SELECT * FROM {self.source} WHERE {self.tenant_column} = $1 AND {self._id_column} < $2
                               ORDER BY {self._id_column} DESC LIMIT {WINDOW}) {self._alias}
                         WHERE true{found.text}
                         ORDER BY {self._id_column} DESC LIMIT $3) page"""  # noqa: S608 (all parts are literals of ours)

    def sorted(self, conditions: Iterable[RowCondition], by: SortBy, *, continues: bool) -> str:
        """Takes the tenant and how many rows; then the values, and what the page before ended with, where there was one."""
        found = _Conditions(conditions, 3)
        direction, sign = ("DESC", "<") if by.descending else ("ASC", ">")
        place = ""
        if continues:
            values = f"(${found.next_place}::{by.type}, ${found.next_place + 1}::text)"
            place = f"({by.expression}, {self._id_column}) {sign} {values}"
        rows = self._rows(
            found,
            place,
            selected=f"{self._selected}, {by.expression} AS sort_key",
            order=f"{by.expression} {direction}, {self._id_column} {direction}",
            merged_order=f'part.sort_key {direction}, part."{self._id_name}" {direction}',
            limit="$2",
        )
        if self.item is not None:
            return f'SELECT page."{self._id_name}", page.item, page.sort_key FROM ({rows}) page'  # noqa: S608
        # The record alone, without what it is sorted by.
        shown = ", ".join(f'page."{name}"' for name in self.columns)
        return f"""SELECT page."{self._id_name}", row_to_json(shown)::text, page.sort_key
                   FROM ({rows}) page CROSS JOIN LATERAL (SELECT {shown}) shown"""  # noqa: S608

    def _rows(
        self, found: "_Conditions", place: str, *, selected: str, order: str, merged_order: str, limit: str
    ) -> str:
        place = f" AND {place}" if place else ""
        rows = f"""SELECT {selected} FROM {self.source}
                   WHERE {self.tenant_column} = $1{place}{found.text} ORDER BY {order} LIMIT {limit}"""  # noqa: S608
        if not found.merged:
            return rows
        if found.combinations:
            walks = " UNION ALL ".join(f"({_replaced(rows, values)})" for values in found.combinations)
            return f"SELECT part.* FROM ({walks}) part ORDER BY {merged_order} LIMIT {limit}"  # noqa: S608
        return f"""SELECT part.* FROM {" CROSS JOIN ".join(found.merged)}
                   CROSS JOIN LATERAL ({rows}) part ORDER BY {merged_order} LIMIT {limit}"""  # noqa: S608

    @property
    def _alias(self) -> str:
        """What the columns call the table: its own name, or a shorter one after it."""
        return self.source.split()[-1]

    @property
    def _id_name(self) -> str:
        return next(iter(self.columns))

    @property
    def _id_column(self) -> str:
        return self.columns[self._id_name]

    @property
    def _json(self) -> str:
        return "row_to_json(page)::text" if self.item is None else "page.item"

    @property
    def _selected(self) -> str:
        columns = ", ".join(f'{expression} AS "{name}"' for name, expression in self.columns.items())
        return columns if self.item is None else f"{columns}, {self.item} AS item"


class _Conditions:
    """All of them, with their values from a place on; and the place after these."""

    def __init__(self, conditions: Iterable[RowCondition], first_place: int) -> None:
        places = itertools.count(first_place)
        # What the merged ones take their values from.
        self.merged: list[str] = []
        # The values of each walk, where there are few: the sorted walks of a union are merged without a sort of their rows.
        self.combinations: list[dict[str, str]] = [{}]
        self.text = ""
        for condition in conditions:
            if condition.merged:
                name = f"one{len(self.merged)}"
                if condition.places is None:
                    values, listed = f"unnest(${next(places)}::text[])", []
                else:
                    listed = [f"${next(places)}::text" for _ in range(condition.places)]
                    values = f"(VALUES {', '.join(f'({one})' for one in listed)})"
                self.merged.append(f"{values} AS {name} (value)")
                self.combinations = [
                    {**walk, f"{name}.value": one} for walk in self.combinations for one in listed
                ]
                self.text += f" AND {condition.text.replace('{}', f'{name}.value')}"
            else:
                self.text += " AND " + re.sub(r"{}", lambda _: f"${next(places)}", condition.text)
        if len(self.combinations) > _FEW_WALKS:
            self.combinations = []
        self.next_place = next(places)


def _replaced(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text
