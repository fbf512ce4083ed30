"""Lists: newest first, by keyset. A page costs the same at any depth, and the cursor can't be forged or reused."""

from collections.abc import Mapping
from typing import Any

import msgspec

from steward.kit.db import search
from steward.kit.db.cursors import Cursors
from steward.kit.db.filters import Filter, Filters, FilterUse, Switch
from steward.kit.db.page_text import PageText, SortBy
from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, Sql, Statements
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


class Sort(msgspec.Struct, frozen=True):
    """An expression to sort by, which is never NULL and has an index together with the identifier; and its type."""

    expression: str
    type: str = "bigint"


# What `q` does on every table with the search columns.
SEARCH = Filter(
    search.CONDITION,
    search.query,
    Filter(search.CONDITION_WITHOUT_INDEX, search.words),
    narrows=search.narrows,
)


class Listing:
    """A list of records: the JSON of each is made by PostgreSQL, which costs half of decoding the rows here.

    `columns` maps JSON names to expressions over `source`, in order, the identifier first; `filters` maps query fields to
    conditions; `sorts` what the list can be sorted by, beside `created`, which is the order of identifiers. `parent` is the
    column that names what the list lies in, where its path does, too: a filter that is always there; `owner` the column that
    names whose a record is. `item` is an expression for records that are stored as JSON already, and `cells` says then which
    of its fields a CSV file has. There is one statement per set of filters in use, so that each has a plan of its own.
    """

    def __init__(
        self,
        source: str,
        columns: Mapping[str, str],
        *,
        filters: Mapping[str, str | Filter | Switch] | None = None,
        sorts: Mapping[str, Sort] | None = None,
        parent: str | None = None,
        owner: str | None = None,
        item: str | None = None,
        cells: tuple[str, ...] | None = None,
        tenant_column: str = "organization_id",
    ) -> None:
        self.name = source.split(maxsplit=1)[0]
        self.columns = columns
        self.cells = cells or tuple(columns)
        self._parent = {parent: f"{parent} = {{}}"} if parent else {}
        self.owned = owner is not None
        own = {_OWN: f"{owner} = {{}}"} if owner else {}
        self._filters = Filters({**self._parent, **own, **(filters or {})})
        by_age = Sort(next(iter(columns.values())), "text")
        self.sorts = {} if sorts is None else {**sorts, "created": by_age}
        self._text = PageText(source=source, columns=columns, item=item, tenant_column=tenant_column)
        self._statements = Statements()
        self.statement(tuple(self._parent))
        self.statement(self._filters.names)
        self._orders = {
            f"{sign}{name}": SortBy(sort.expression, sort.type, descending)
            for name, sort in self.sorts.items()
            for sign, descending in (("", False), ("-", True))
        }
        for order in self._orders.values():
            self._sorted_statement((), order, continues=True)

    def statement(self, names: tuple[str, ...]) -> Sql:
        return self._statement(tuple(FilterUse(name) for name in names))

    def _statement(self, uses: tuple[FilterUse, ...]) -> Sql:
        return self._statements.get(uses, lambda: self._text.newest(self._filters.conditions(uses)))

    def filters(
        self, query: FilterQuery, parent_id: str | None, own: OwnOnly | None = None
    ) -> dict[str, Any]:
        """What narrows this list: what it lies in, whose records the caller is kept to, then what they ask for."""
        kept = {} if own is None else {_OWN: own.user}
        return self._filters.narrowing({**dict.fromkeys(self._parent, parent_id), **kept, **query.filters()})

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
        filters = self.filters(query, parent_id, own)
        if (sort := getattr(query, "sort", None)) is not None:
            return await self._sorted_page(db, cursors, tenant, query, filters, sort)
        start = AFTER_ALL
        if query.last_evaluated_key is not None:
            start = cursors.open(tenant, self.name, filters, query.last_evaluated_key)
        # One row more than asked for tells whether there is a next page.
        rows = await self._newest_rows(db, tenant, filters, start, query.limit + 1)
        shown = _fitting(rows[: query.limit])
        more = len(rows) > len(shown)
        items = [row[1] for row in shown]
        cursor = cursors.seal(tenant, self.name, filters, shown[-1][0]) if more else None
        return Page(items, cursor)

    async def rows(
        self, db: Database, tenant: TenantId, filters: Mapping[str, Any], before: str, limit: int
    ) -> list[Row]:
        """(identifier, JSON) of the records before an identifier, newest first."""
        expanded = await self._filters.expanded(db, tenant, filters)
        return await self._rows(db, tenant, expanded, before, limit)

    async def _rows(
        self, db: Database, tenant: TenantId, filters: Mapping[str, Any], before: str, limit: int
    ) -> list[Row]:
        uses = self._filters.uses(filters)
        values = self._filters.parameters(tenant, filters, uses)
        return await db.fetch(self._statement(uses), tenant, before, limit, *values)

    async def _newest_rows(
        self, db: Database, tenant: TenantId, filters: Mapping[str, Any], before: str, limit: int
    ) -> list[Row]:
        """The same; what many records have is found among the newest, without a look at all that have it."""
        expanded = await self._filters.expanded(db, tenant, filters)
        if self._filters.may_be_frequent(expanded):
            uses = self._filters.uses(expanded)
            statement = self._statements.get(
                ("newest", uses),
                lambda: self._text.among_newest(self._filters.conditions(uses, among_newest=True)),
            )
            values = self._filters.parameters(tenant, expanded, uses, among_newest=True)
            rows = await db.fetch(statement, tenant, before, limit, *values)
            if len(rows) == limit:
                return rows
        return await self._rows(db, tenant, expanded, before, limit)

    async def _sorted_page(
        self,
        db: Database,
        cursors: Cursors,
        tenant: TenantId,
        query: PageQuery,
        filters: Mapping[str, Any],
        sort: str,
    ) -> Page:
        """The cursor holds what the last record was sorted by, and its identifier."""
        order, listing = self._order(sort), f"{self.name} by {sort}"
        start: list[Any] = []
        if query.last_evaluated_key is not None:
            start = msgspec.json.decode(cursors.open(tenant, listing, filters, query.last_evaluated_key))
        expanded = await self._filters.expanded(db, tenant, filters)
        uses = self._filters.uses(expanded, in_order=True)
        statement = self._sorted_statement(uses, order, continues=bool(start))
        values = self._filters.parameters(tenant, expanded, uses)
        rows = await db.fetch(statement, tenant, query.limit + 1, *values, *start)
        shown = _fitting(rows[: query.limit])
        cursor = None
        if len(rows) > len(shown):
            last = msgspec.json.encode([shown[-1][2], shown[-1][0]]).decode()
            cursor = cursors.seal(tenant, listing, filters, last)
        return Page([row[1] for row in shown], cursor)

    def _order(self, sort: str) -> SortBy:
        found = self._orders.get(sort)
        if found is None:
            raise Invalid("sort", f"must be one of {', '.join(self.sorts)}, with - in front for descending")
        return found

    def _sorted_statement(self, uses: tuple[FilterUse, ...], order: SortBy, *, continues: bool) -> Sql:
        return self._statements.get(
            ("sorted", uses, order, continues),
            lambda: self._text.sorted(self._filters.conditions(uses), order, continues=continues),
        )


def _fitting(rows: list[Row]) -> list[Row]:
    """As many as make a page of a bounded size; at least one."""
    room = MAX_PAGE_LENGTH - sum(len(row[1]) for row in rows)
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
