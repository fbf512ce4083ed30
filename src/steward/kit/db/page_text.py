"""The SQL of a page of a list, put together from what a `Listing` knows.

The work that a statement does has a bound, whatever it is asked for, and whether PostgreSQL knows the values when it plans or
not: it walks along an index in the order of the list, or it takes a bounded number of candidates from an index. Which index
that is must not be left to guesses about how many rows a tenant or a value has.
"""

from collections.abc import Iterable, Mapping

import msgspec

from steward.kit.db.row_conditions import PlacedConditions

# More cost more to plan than they save.
_FEW_WALKS = 4
# And one more than a page holds. A plan that is made for any limit would else be one for a tenth of the list.
_MOST_OF_PAGE = 101
# The first of what a list can be sorted by.
_LEAST = {"bigint": "-9223372036854775808", "text": "''"}


class SortBy(msgspec.Struct, frozen=True):
    expression: str
    type: str
    descending: bool
    # Whether there is an index in this order.
    by_index: bool = True


class Way(msgspec.Struct, frozen=True):
    """How the rows of a page are come by: along an index in the list's order, or as candidates in any order.

    `by` names the filters whose index that is, and `inside` those that say where in the order to begin or to end. At most `most`
    rows are looked at, and the filters in `held` are held against each; None where there are no such filters, so that every
    row is one of the page.
    """

    by: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    most: int | None = None
    candidates: bool = False


class PageText(msgspec.Struct, frozen=True, kw_only=True):
    """`columns` maps names to expressions over `source`, the identifier first."""

    source: str
    columns: Mapping[str, str]
    item: str | None
    tenant_column: str

    def page(
        self, way: Way, found: PlacedConditions, by: SortBy | None, start: tuple[str, ...], limit: str
    ) -> str:
        """`start` is what the page before ended with: what the list is sorted by, where it is, and an identifier."""
        if way.most is None:
            return self._outer(self._merged(found, by, self._whole(found, by, start, limit), limit), by)
        if way.candidates:
            text = self._candidates(way.most, found, by, start, limit)
        else:
            most = way.most // len(found.combinations) or 1
            text = self._merged(found, by, self._stretch(most, found, by, start, limit), limit)
        shown = self._shown(f"page.{self._quoted_id}, {{}}, page.sort_key, page.last", found_only=True)
        return f"{shown} FROM ({text}) page {self._lateral}"

    def _whole(self, found: PlacedConditions, by: SortBy | None, start: tuple[str, ...], limit: str) -> str:
        key = "" if by is None else f", {by.expression} AS sort_key"
        return (
            f"SELECT {self._selected}{key} FROM {self.source} {self._along(found, by, start)} LIMIT {limit}"  # noqa: S608
        )

    def _stretch(
        self, most: int, found: PlacedConditions, by: SortBy | None, start: tuple[str, ...], limit: str
    ) -> str:
        """Ends early when the page is full; else with the last row that was looked at, from where the next one goes on."""
        along = self._along(found, by, start)
        walk = at_most(most, f"SELECT *, {_key(by)} AS walk_key FROM {self.source} {along}")  # noqa: S608
        return self._looked_at(walk, found.held, most, _ordered(self._keys(by, "walk_key"), by), limit)

    def _along(self, found: PlacedConditions, by: SortBy | None, start: tuple[str, ...]) -> str:
        """A walk along the index that begins with the columns that are to be equal to something, in the order of the list."""
        keys = self._keys(by)
        parts = [f"{self.tenant_column} = $1", *found.driving]
        parts += [self._end(*end) for end in found.ends]
        if start:
            sign = "<" if by is None or by.descending else ">"
            parts += [f"{_row(keys)} {sign} {_row(start)}", *self._equal(found, keys, sign, start)]
        elif by is not None:
            parts += self._equal(found, keys[:1], ">=", (_LEAST[by.type],))
        return f"WHERE {' AND '.join(parts)} ORDER BY {_ordered(keys, by)}"

    def _equal(
        self, found: PlacedConditions, keys: list[str], sign: str, start: tuple[str, ...]
    ) -> list[str]:
        """That columns are equal to something, and once more, as a place in the index that begins with them. It says nothing new, but
        only that index can make use of it, and so the planner takes it: also where it has seen but one value in the whole
        table, and believes that any index in the list's order will do."""
        if not found.columns:
            return []
        equal = [f"{column} = {value}" for column, value in zip(found.columns, found.values, strict=True)]
        return [*equal, f"{_row([*found.columns, *keys])} {sign} {_row([*found.values, *start])}"]

    def _end(self, key: str, sign: str, value: str) -> str:
        """Where a walk is to end. With the tenant, so that the planner doesn't see two ends of one range, of which it would believe that
        next to nothing lies in between."""
        return f"({key}, {self.tenant_column}) {sign} ({value}, $1)"

    def _candidates(
        self, most: int, found: PlacedConditions, by: SortBy | None, start: tuple[str, ...], limit: str
    ) -> str:
        """In the order of their index. Where there are more than a bounded number, the first row says so."""
        last = most + 1
        rows = at_most(last, f"SELECT *, {_key(by)} AS walk_key FROM {self.source} {self._listed(found)}")  # noqa: S608
        if found.each is not None:
            rows = f"SELECT part.* FROM {found.each} CROSS JOIN LATERAL ({rows}) part LIMIT (SELECT {last})"  # noqa: S608
        place = []
        if start:
            sign = "<" if by is None or by.descending else ">"
            place = [f"{_row(self._keys(by))} {sign} {_row(start)}"]
        order = f"(walked = {last}) DESC, {_ordered(self._keys(by, 'walk_key'), by)}"
        return self._looked_at(rows, [*found.held, *place], last, order, f"{limit} + 1")

    def _listed(self, found: PlacedConditions) -> str:
        columns, values, tenant = found.columns, found.values, f"{self.tenant_column} = $1"
        if found.by_words:
            # The index of words knows tenants by itself; any other would list all that the tenant has. Under this collation
            # none is of use.
            return f"""WHERE {" AND ".join([f'{tenant} COLLATE "POSIX"', *found.driving])}"""
        if found.bound is not None:
            equal = [f"{column} = {value}" for column, value in zip(columns, values, strict=True)]
            return f"WHERE {' AND '.join([tenant, *equal, *found.driving])} ORDER BY {found.bound}"
        equal = self._equal(found, [self._id_column], ">=", (_LEAST["text"],))
        return f"WHERE {' AND '.join([tenant, *found.driving, *equal])} ORDER BY {_ordered(self._keys(None), None)}"

    def _looked_at(self, rows: str, held: list[str], last: int, order: str, limit: str) -> str:
        return f"""SELECT {self._selected}, walk_key AS sort_key, is_found, walked = {last} AS last
                   FROM (SELECT {self._alias}.*, ({" AND ".join(held) or "true"}) IS TRUE AS is_found,
                                row_number() OVER () AS walked
                         FROM ({rows}) {self._alias}) {self._alias}
                   WHERE is_found OR walked = {last} ORDER BY {order} LIMIT {limit}"""  # noqa: S608

    def _merged(self, found: PlacedConditions, by: SortBy | None, rows: str, limit: str) -> str:
        """Each combination of several values has a walk of its own along the index. So a page of several values costs what a
        page of each would, however unlike their numbers are."""
        if not found.several:
            return rows
        direction = _direction(by)
        key = "" if by is None else f"part.sort_key {direction}, "
        order = f"{key}part.{self._quoted_id} {direction}"
        if len(found.combinations) <= _FEW_WALKS:
            walks = " UNION ALL ".join(f"({_replaced(rows, values)})" for values in found.combinations)
            return f"SELECT part.* FROM ({walks}) part ORDER BY {order} LIMIT {limit}"  # noqa: S608
        return f"""SELECT part.* FROM {" CROSS JOIN ".join(found.several)}
                   CROSS JOIN LATERAL ({rows}) part ORDER BY {order} LIMIT {limit}"""  # noqa: S608

    def _outer(self, rows: str, by: SortBy | None) -> str:
        if by is None:
            json = "row_to_json(page)::text" if self.item is None else "page.item"
            return f"SELECT page.{self._quoted_id}, {json} FROM ({rows}) page LIMIT {_MOST_OF_PAGE}"  # noqa: S608
        shown = self._shown(f"page.{self._quoted_id}, {{}}, page.sort_key")
        return f"{shown} FROM ({rows}) page {self._lateral} LIMIT {_MOST_OF_PAGE}"

    def _shown(self, selected: str, *, found_only: bool = False) -> str:
        """The record alone, without what it is sorted by."""
        json = "row_to_json(shown)::text" if self.item is None else "page.item"
        return "SELECT " + selected.format(f"CASE WHEN page.is_found THEN {json} END" if found_only else json)

    @property
    def _lateral(self) -> str:
        if self.item is not None:
            return ""
        return (
            f'CROSS JOIN LATERAL (SELECT {", ".join(f"""page."{name}" """ for name in self.columns)}) shown'
        )

    def _keys(self, by: SortBy | None, key: str | None = None) -> list[str]:
        """What the list is in the order of."""
        return [*([] if by is None else [key or by.expression]), self._id_column]

    @property
    def _alias(self) -> str:
        """What the columns call the table: its own name, or a shorter one after it."""
        return self.source.split()[-1]

    @property
    def _id_name(self) -> str:
        return next(iter(self.columns))

    @property
    def _quoted_id(self) -> str:
        return f'"{self._id_name}"'

    @property
    def _id_column(self) -> str:
        return self.columns[self._id_name]

    @property
    def _selected(self) -> str:
        columns = ", ".join(f'{expression} AS "{name}"' for name, expression in self.columns.items())
        return columns if self.item is None else f"{columns}, {self.item} AS item"


def at_most(most: int, rows: str) -> str:
    """The first rows of a query in its order. Said twice: the planner isn't to know by the inner limit, or it would rather read and
    sort the few rows that it believes there are; and by the outer it is to know that of very many these are all that is wanted."""
    return f"SELECT * FROM ({rows} LIMIT (SELECT {most})) first_rows LIMIT {most}"  # noqa: S608


def _row(parts: Iterable[str]) -> str:
    return f"({', '.join(parts)})"


def _ordered(keys: list[str], by: SortBy | None) -> str:
    return ", ".join(f"{key} {_direction(by)}" for key in keys)


def _direction(by: SortBy | None) -> str:
    return "DESC" if by is None or by.descending else "ASC"


def _key(by: SortBy | None) -> str:
    return "NULL::text" if by is None else by.expression


def _replaced(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text
