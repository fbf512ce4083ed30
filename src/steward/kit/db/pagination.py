"""Lists: newest first, by keyset. A page costs the same at any depth, and the cursor can't be forged or reused."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from steward.kit.db import search
from steward.kit.db.cursors import Cursors
from steward.kit.db.filters import Filter, Filters, FilterUse, Switch
from steward.kit.db.narrow_view import narrowed, require_open_filters
from steward.kit.db.page_text import PageText, SortBy, Way
from steward.kit.db.page_ways import STRETCH, OrderIndex, Ways, find_few, find_ways, longer
from steward.kit.db.pool import Database
from steward.kit.db.row_conditions import PlacedConditions
from steward.kit.db.sorting import MOST_SORTED, Sort, Sorts
from steward.kit.db.sql import Row, Sql, Statements
from steward.kit.db.table import Table
from steward.kit.domain.ids import AFTER_ALL
from steward.kit.domain.list_query import FilterQuery, PageQuery
from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import OwnOnly, TenantId

# Characters of JSON. A page of large records holds fewer than were asked for, and says where the next one begins.
MAX_PAGE_LENGTH = 4 * 1024 * 1024
# The filter that keeps a caller to records of their own.
_OWN = "own"


class Page(msgspec.Struct, frozen=True):
    """Items already encoded as JSON, and where the next page begins."""

    items: list[str]
    last_evaluated_key: str | None


class Stretch(msgspec.Struct, frozen=True):
    """(identifier, JSON, what it is sorted by) of records in the order of the list. Where these are fewer than were asked for and
    the list isn't at its end, `reached` is how far it was looked through: an identifier, or what the list is sorted by with it.
    """

    rows: list[Row]
    reached: Any = None


# What `q` does on every table with the search columns.
SEARCH = Filter(search.CONDITION, search.query, words=search.INDEX_CONDITION, narrows=search.narrows)

# Every list of the program.
LISTINGS: "list[Listing]" = []


class Listing:
    """A list of records: the JSON of each is made by PostgreSQL, which costs half of decoding the rows here.

    `columns` maps JSON names to expressions over `source`, in order, the identifier first; `filters` maps query fields to
    conditions, those that narrow most first; `sorts` what the list can be sorted by, beside its
    `age`, which is the order of identifiers. `parent` is the column that names what the list lies in, where its path does, too: a filter that is always
    there; `owned` the table of records that belong to somebody, which says to whom, or that are looked at. `item` is an expression for records that are stored as JSON already,
    and `cells` says then which of its fields a CSV file has. There is one statement per set of filters in use.
    """

    def __init__(
        self,
        source: str,
        columns: Mapping[str, str],
        *,
        filters: Mapping[str, str | Filter | Switch] | None = None,
        sorts: Mapping[str, Sort] | None = None,
        age: str = "created",
        former_sorts: Mapping[str, str] | None = None,
        parent: str | None = None,
        owned: Table[Any] | None = None,
        item: str | None = None,
        cells: tuple[str, ...] | None = None,
        tenant_column: str = "organization_id",
    ) -> None:
        self.name = source.split(maxsplit=1)[0]
        self.columns, self.cells = columns, cells or tuple(columns)
        self._parent = {parent: f"{parent} = {{}}"} if parent else {}
        self.owned, own = owned, {_OWN: f"{owned.kept_by} = {{}}"} if owned and owned.kept_by else {}
        self.conditions = Filters({**self._parent, **own, **(filters or {})})
        self._id = next(iter(columns.values()))
        self._sorts = Sorts(sorts, self._id, age=age, former=former_sorts)
        self.sorts, self.former_sorts = self._sorts.known, self._sorts.former
        self._orders = self._sorts.single
        self._text = PageText(source=source, columns=columns, item=item, tenant_column=tenant_column)
        self._statements = Statements()
        self._whole = Ways((Way(tuple(self._parent)),))
        self.statement(tuple(self._parent))
        self.statement(tuple(self.conditions.known))
        for order in self._orders.values():
            self._statement(Way(tuple(self._parent)), order, self._uses({}), continues=True)
        LISTINGS.append(self)

    def statement(self, names: tuple[str, ...]) -> Sql:
        """Of the newest, with these filters, each with one value."""
        leading = tuple(name for name in names if name in self._parent)
        held = tuple(name for name in names if name not in leading)
        way = Way(leading, held=held, most=STRETCH) if held else Way(leading)
        return self._statement(way, None, {name: FilterUse(name) for name in names}, continues=True)

    def filters(
        self, query: FilterQuery, parent_id: str | None, own: OwnOnly | None = None
    ) -> dict[str, Any]:
        """What narrows this list: what it lies in, whose records the caller is kept to, then what they ask for."""
        require_open_filters(query, own)
        kept = {_OWN: self.owned.kept_value(own)} if own and self.owned and self.owned.kept_by else {}
        return self.conditions.narrowing(
            {**dict.fromkeys(self._parent, parent_id), **kept, **query.filters()}
        )

    async def page(
        self,
        db: Database,
        cursors: Cursors,
        tenant: TenantId,
        query: PageQuery,
        *,
        parent_id: str | None = None,
        own: OwnOnly | None = None,
    ) -> Page:
        """It may hold fewer than were asked for, or none, and still say where the next one begins."""
        filters, name = self.filters(query, parent_id, own), self.name
        order, sorted_by = self.order(query, filters)
        name += sorted_by
        start: Any = None
        if query.last_evaluated_key is not None:
            start = cursors.open(tenant, name, filters, query.last_evaluated_key)
            start = start if order is None else msgspec.json.decode(start)
        # One row more than asked for tells whether there is a next page.
        found = await self.stretch(db, tenant, filters, start, query.limit + 1, order=order)
        shown = _fitting(found.rows[: query.limit])
        last = found.reached
        if len(found.rows) > len(shown):
            last = place_of(shown[-1], order)
        if last is not None:
            last = cursors.seal(
                tenant, name, filters, last if order is None else msgspec.json.encode(last).decode()
            )
        return Page([narrowed(self.owned, row[1], own) for row in shown], last)

    async def stretch(
        self,
        db: Database,
        tenant: TenantId,
        filters: Mapping[str, Any],
        start: Any,
        limit: int,
        *,
        order: SortBy | None = None,
    ) -> Stretch:
        """At most so many records after a place in the order; the newest ones, where there is no place."""
        if order is not None and not order.by_index:
            wanted = await self.conditions.expanded(db, tenant, filters)
            few = find_few(self.conditions, wanted, tuple(self._parent), MOST_SORTED)
            return await _Search(self, db, tenant, wanted, order, limit).sort(few, start)
        # Most lists are asked for by nothing else than what they lie in.
        given, ways = filters, self._whole
        if len(filters) != len(self._parent):
            given = await self.conditions.expanded(db, tenant, filters)
            ways = find_ways(self.conditions, given, tuple(self._parent), self._order_index(order))
        search = _Search(self, db, tenant, given, order, limit)
        if ways.whole is not None:
            return Stretch(await search.rows(ways.whole, start))
        return await search.look(ways, start)

    def _order_index(self, order: SortBy | None) -> OrderIndex:
        if order is None or order.expression == self._id:
            return OrderIndex(self._id, None)
        beside = next(sort.beside for sort in self.sorts.values() if sort.expression == order.expression)
        return OrderIndex(order.expression, beside)

    def order(self, query: FilterQuery, filters: Mapping[str, Any]) -> tuple[SortBy | None, str]:
        """The order that a query asks for, and its part of the name that the cursor is made for."""
        if (wanted := getattr(query, "sort", None)) is None:
            return None, ""
        name, order = self._sorts.order(wanted, filters)
        return order, f" by {name}"

    def _uses(self, given: Mapping[str, Any]) -> dict[str, FilterUse]:
        parent = {name: FilterUse(name) for name in self._parent}
        return parent | {name: self.conditions.use(name, value) for name, value in given.items()}

    def _statement(
        self, way: Way, order: SortBy | None, uses: Mapping[str, FilterUse], *, continues: bool
    ) -> Sql:
        used = tuple(uses[name] for name in (*way.by, *way.inside, *way.held))
        return self._statements.get(
            (way, used, order, continues), lambda: self._page_text(way, order, uses, continues=continues)
        )

    def _page_text(
        self, way: Way, order: SortBy | None, uses: Mapping[str, FilterUse], *, continues: bool
    ) -> str:
        by, inside, held = (
            [self.conditions.condition(uses[name]) for name in names]
            for names in (way.by, way.inside, way.held)
        )
        found = PlacedConditions(by, inside, held, 4 if order is None else 3, candidates=way.candidates)
        if order is None:
            return self._text.page(way, found, None, ("$2",), "$3")
        last = (f"${found.next_place}::{order.type}", f"${found.next_place + 1}::text")
        return self._text.page(way, found, order, last if continues else (), "$2")


class _Search:
    """For the records of one page."""

    def __init__(
        self,
        listing: Listing,
        db: Database,
        tenant: TenantId,
        given: Mapping[str, Any],
        order: SortBy | None,
        limit: int,
    ) -> None:
        self._listing, self._db, self._tenant = listing, db, tenant
        self._given, self._order, self._limit = given, order, limit
        self._uses = listing._uses(given)  # noqa: SLF001 (this is a part of it)

    async def look(self, ways: Ways, start: Any) -> Stretch:
        """The first way that ends is the answer; else the one that came farthest."""
        best: tuple[Way, Stretch] | None = None
        for way in ways.walks:
            found = await self._walk(way, start)
            if found.reached is None:
                return found
            if best is None or self._is_farther(found.reached, best[1].reached):
                best = (way, found)
        for way in ways.candidates:
            rows = await self.rows(way, start)
            if not (rows and rows[0][3]):
                return Stretch(rows[: self._limit])
        if best is None:
            return Stretch([])
        way, first = best
        more = await self._walk(longer(way), first.reached)
        return Stretch([*first.rows, *more.rows][: self._limit], more.reached)

    async def sort(self, ways: Sequence[Way], start: Any) -> Stretch:
        """All records that there are, where these are few enough to be sorted."""
        for way in ways:
            rows = await self.rows(way, start)
            if not (rows and rows[0][3]):
                return Stretch(rows[: self._limit])
        raise Invalid(
            "sort",
            f"takes several fields for up to {MOST_SORTED:,} records; these are more: narrow them by filters",
        )

    async def rows(self, way: Way, start: Any) -> list[Row]:
        conditions = self._listing.conditions
        uses = [[self._uses[name] for name in names] for names in (way.by, way.inside, way.held)]
        values = conditions.leading_parameters(self._tenant, uses[0], self._given, candidates=way.candidates)
        values += conditions.held_parameters(self._tenant, [*uses[1], *uses[2]], self._given)
        statement = self._listing._statement(  # noqa: SLF001 (this is a part of it)
            way, self._order, self._uses, continues=start is not None
        )
        if self._order is None:
            before = AFTER_ALL if start is None else start
            return await self._db.fetch(statement, self._tenant, before, self._limit, *values)
        return await self._db.fetch(statement, self._tenant, self._limit, *values, *(start or ()))

    async def _walk(self, way: Way, start: Any) -> Stretch:
        """What it found, and where it ended, unless the page is full or the list is at its end."""
        found: list[Row] = []
        for row in await self.rows(way, start):
            if row[1] is not None:
                found.append(row)
            if row[3] and len(found) < self._limit:
                return Stretch(found, place_of(row, self._order))
        return Stretch(found)

    def _is_farther(self, place: Any, other: Any) -> bool:
        """Identifiers are compared here as they are there. What a list is sorted by may not be."""
        return self._order is None and place < other


def place_of(row: Row, order: SortBy | None) -> Any:
    """Where the next page begins, when this was the last record of the one before."""
    return row[0] if order is None else [row[2], row[0]]


def _fitting(rows: list[Row]) -> list[Row]:
    """As many as make a page of a bounded size; at least one."""
    room = MAX_PAGE_LENGTH - sum([len(row[1]) for row in rows])
    shown = len(rows)
    while room < 0 and shown > 1:
        shown -= 1
        room += len(rows[shown][1])
    return rows[:shown]


def json_columns(record: type[msgspec.Struct], **special: str) -> dict[str, str]:
    """The columns of a record under their names in the API; `special` replaces an expression."""
    return {
        field.encode_name: special.get(field.name, field.name) for field in msgspec.structs.fields(record)
    }
