"""The SQL of a page of a list, put together from what a `Listing` knows.

The work that a statement does has a bound, whatever it is asked for, and whether PostgreSQL knows the values when it plans or
not: it walks along an index in the order of the list, or it takes a bounded number of candidates from an index. Which index
that is must not be left to guesses about how many rows a tenant or a value has.
"""

from collections.abc import Mapping

import msgspec

from steward.kit.db.row_conditions import PlacedConditions

# More cost more to plan than they save.
_FEW_WALKS = 4


class SortBy(msgspec.Struct, frozen=True):
    expression: str
    type: str
    descending: bool


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

    def page(self, way: Way, found: PlacedConditions, by: SortBy | None, place: str, limit: str) -> str:
        """`place` is the condition for what comes after the page before."""
        if way.most is None:
            return self._outer(self._merged(found, by, self._whole(found, by, place, limit), limit), by)
        rows = self._candidates if way.candidates else self._stretch
        text = rows(way.most // found.walks or 1, found, by, place, limit)
        if not way.candidates:
            text = self._merged(found, by, text, limit)
        shown = self._shown(f"page.{self._quoted_id}, {{}}, page.sort_key, page.last", found_only=True)
        return f"{shown} FROM ({text}) page {self._lateral}"

    def _whole(self, found: PlacedConditions, by: SortBy | None, place: str, limit: str) -> str:
        key = "" if by is None else f", {by.expression} AS sort_key"
        where = self._where(found.driving, found.bounds, place)
        return f"SELECT {self._selected}{key} FROM {self.source} WHERE {where} ORDER BY {self._order(by)} LIMIT {limit}"  # noqa: S608

    def _stretch(self, most: int, found: PlacedConditions, by: SortBy | None, place: str, limit: str) -> str:
        """Ends early when the page is full; else with the last row that was looked at, from where the next one goes on.

        How long it may become is hidden from the planner, which else would rather read and sort all that it believes there is.
        """
        where = self._where(found.driving, found.bounds, place)
        walk = f"""SELECT *, {_key(by)} AS walk_key FROM {self.source}
                   WHERE {where} ORDER BY {self._order(by)} LIMIT (SELECT {most})"""  # noqa: S608
        order = self._order(by, key="walk_key")
        return self._looked_at(walk, found.held, most, order, limit)

    def _candidates(
        self, most: int, found: PlacedConditions, by: SortBy | None, place: str, limit: str
    ) -> str:
        """Where there are more than a bounded number, the first row says so."""
        key, last = _key(by), most + 1
        # The index of words knows tenants by itself; that of another column would list all that the tenant has. Under this
        # collation none is of any use.
        tenant = f'{self.tenant_column} = $1 COLLATE "POSIX"' if found.by_words else None
        where = self._where(found.driving, tenant=tenant)
        order = f"ORDER BY {found.driving_order or self._order(None)}" if not found.by_words else ""
        rows = f"""SELECT *, {key} AS walk_key FROM {self.source}
                   WHERE {where} {order} LIMIT (SELECT {last})"""  # noqa: S608
        if found.each is not None:
            rows = (
                f"""SELECT each.* FROM {found.each} CROSS JOIN LATERAL ({rows}) each LIMIT (SELECT {last})"""  # noqa: S608
            )
        held = " AND ".join(part for part in (found.held, *found.bounds, place) if part)
        order = f"(walked = {last}) DESC, {self._order(by, key='walk_key')}"
        return self._looked_at(rows, held, last, order, f"{limit} + 1")

    def _looked_at(self, rows: str, held: str, last: int, order: str, limit: str) -> str:
        return f"""SELECT {self._selected}, walk_key AS sort_key, is_found, walked = {last} AS last
                   FROM (SELECT {self._alias}.*, ({held or "true"}) IS TRUE AS is_found, row_number() OVER () AS walked
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
        # Of a value that comes from a join the planner knows nothing.
        rows = rows.replace(".hidden", ".value")
        return f"""SELECT part.* FROM {" CROSS JOIN ".join(found.several)}
                   CROSS JOIN LATERAL ({rows}) part ORDER BY {order} LIMIT {limit}"""  # noqa: S608

    def _outer(self, rows: str, by: SortBy | None) -> str:
        if by is None:
            json = "row_to_json(page)::text" if self.item is None else "page.item"
            return f"SELECT page.{self._quoted_id}, {json} FROM ({rows}) page"  # noqa: S608
        return f"{self._shown(f'page.{self._quoted_id}, {{}}, page.sort_key')} FROM ({rows}) page {self._lateral}"

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

    def _where(self, *conditions: str | tuple[str, ...], tenant: str | None = None) -> str:
        parts = [tenant or f"{self.tenant_column} = $1"]
        for condition in conditions:
            parts += [condition] if isinstance(condition, str) else condition
        return " AND ".join(part for part in parts if part)

    def _order(self, by: SortBy | None, *, key: str | None = None) -> str:
        direction = _direction(by)
        first = "" if by is None else f"{key or by.expression} {direction}, "
        return f"{first}{self._id_column} {direction}"

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


def _direction(by: SortBy | None) -> str:
    return "DESC" if by is None or by.descending else "ASC"


def _key(by: SortBy | None) -> str:
    return "NULL::text" if by is None else by.expression


def _replaced(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text
