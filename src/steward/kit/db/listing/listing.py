"""A list as a slice declares it, and the pages of it: the items as JSON and a cursor to the next page."""

from collections.abc import Mapping
from typing import Any

import msgspec

from steward.kit.db.bounds import SCANNED_ROWS
from steward.kit.db.cursors import Cursors
from steward.kit.db.listing.execute import Executor, Position, ScanResult, expand, position_of
from steward.kit.db.listing.filters import Filter, Filters, FilterUse, Switch
from steward.kit.db.listing.plan import BoundedScan, IndexScan, PagePlan, plan_page
from steward.kit.db.listing.sorts import Order, Sort, Sorts
from steward.kit.db.listing.statements import ListSource, ScanStatements
from steward.kit.db.narrow_view import narrowed, require_open_filters
from steward.kit.db.sql import Row, Sql
from steward.kit.db.table import Table
from steward.kit.db.transaction import Database
from steward.kit.domain.list_query import FilterQuery, PageQuery
from steward.kit.security.caller import OwnOnly, TenantId

# Characters of JSON. A page of large records has fewer of them than its limit, and a cursor.
MAX_PAGE_LENGTH = 4 * 1024 * 1024
# The filter for callers who may only see their own records.
_OWN = "own"


class Page(msgspec.Struct, frozen=True):
    """Items already encoded as JSON, and the cursor of the next page."""

    items: list[str]
    last_evaluated_key: str | None


# Every list of the program.
LISTINGS: "list[Listing]" = []


class Listing:
    """A list of records, newest first. PostgreSQL makes the JSON, which costs half of decoding the rows here.

    `source` is the table of the records; for records without one it is SQL, and `columns` maps JSON names to expressions over it, the
    identifier first. `filters` maps query fields to conditions, the most selective first; `sorts` are the other orders, beside that of
    the identifiers, which is called `age`. The column of the record in the list's path is a filter that is always there. `item` is an
    expression for records that are stored as JSON, and `cells` names the columns of their CSV file.
    """

    def __init__(
        self,
        source: Table[Any] | str,
        columns: Mapping[str, str] | None = None,
        *,
        filters: Mapping[str, str | Filter | Switch] | None = None,
        sorts: Mapping[str, Sort] | None = None,
        age: str = "created",
        former_sorts: Mapping[str, str] | None = None,
        item: str | None = None,
        cells: tuple[str, ...] | None = None,
        tenant_column: str = "organization_id",
    ) -> None:
        kept = source if isinstance(source, Table) else None
        text = source if isinstance(source, str) else source.name
        columns = columns or (json_columns(kept.record, **kept.expressions) if kept else {})
        self.name = text.split(maxsplit=1)[0]
        self.columns, self.cells = columns, cells or tuple(columns)
        self.parent = (kept.parent,) if kept and kept.parent else ()
        # If some callers see only their own records, or not all fields.
        self.owned = kept if kept and kept.hides_some else None
        own = {_OWN: f"{self.owned.kept_by} = {{}}"} if self.owned and self.owned.kept_by else {}
        self.declared = Filters(
            {**{name: f"{name} = {{}}" for name in self.parent}, **own, **(filters or {})}
        )
        table = ListSource(table=text, columns=columns, item=item, tenant_column=tenant_column)
        self._sorts = Sorts(sorts, table.id, age=age, former=former_sorts)
        self.sorts, self.former_sorts, self.orders = self._sorts.known, self._sorts.former, self._sorts.single
        self._statements = ScanStatements(table, self.declared.known)
        self._register_statements()
        LISTINGS.append(self)

    def _register_statements(self) -> None:
        self.statement(self.parent)
        self.statement(tuple(self.declared.known))
        parent = {name: FilterUse(name) for name in self.parent}
        for order in self.orders.values():
            self._statements.get(IndexScan(self.parent), order, parent, continues=True)

    def statement(self, names: tuple[str, ...]) -> Sql:
        """Of the newest records with these filters, each with one value."""
        leading = tuple(name for name in names if name in self.parent)
        recheck = tuple(name for name in names if name not in leading)
        bounded = BoundedScan(leading, recheck=recheck, max_rows=SCANNED_ROWS)
        uses = {name: FilterUse(name) for name in names}
        scan = bounded if recheck else IndexScan(leading)
        return self._statements.get(scan, self._sorts.newest_first, uses, continues=False)

    def filters(
        self, query: FilterQuery, parent_id: str | None, own: OwnOnly | None = None
    ) -> dict[str, Any]:
        """By name: the parent, the restriction to the caller's own records, and what the query asks for."""
        require_open_filters(query, own)
        kept = {_OWN: self.owned.kept_value(own)} if own and self.owned and self.owned.kept_by else {}
        return self.declared.narrowing({**dict.fromkeys(self.parent, parent_id), **kept, **query.filters()})

    def order(self, query: FilterQuery, filters: Mapping[str, Any]) -> Order:
        return self._sorts.order(getattr(query, "sort", None), filters)

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
        """It may have fewer items than its limit, or none, and still a cursor."""
        filters = self.filters(query, parent_id, own)
        order = self.order(query, filters)
        name = self.name if order.is_default else f"{self.name} by {order.name}"
        start: Position = None
        if query.last_evaluated_key is not None:
            opened = cursors.open(tenant, name, filters, query.last_evaluated_key)
            start = opened if order.is_default else msgspec.json.decode(opened)
        # One row more tells whether there is a next page.
        found = await self.scan(db, tenant, filters, start, query.limit + 1, order=order)
        shown = _fitting(found.rows[: query.limit])
        last = found.reached if len(found.rows) <= len(shown) else position_of(shown[-1], order)
        if last is not None:
            text = last if order.is_default else msgspec.json.encode(last).decode()
            last = cursors.seal(tenant, name, filters, text)
        return Page([narrowed(self.owned, row[1], own) for row in shown], last)

    async def scan(
        self,
        db: Database,
        tenant: TenantId,
        filters: Mapping[str, Any],
        start: Position,
        limit: int,
        *,
        order: Order | None = None,
    ) -> ScanResult:
        """Up to `limit` records after a position in the order; the first ones, if it is None."""
        order = order or self._sorts.newest_first
        given = await expand(self.declared, db, tenant, filters)
        executor = Executor(
            db, tenant, self.declared, self._statements, given=given, order=order, limit=limit
        )
        return await executor.run(self.plan(given, order), start)

    def plan(self, given: Mapping[str, Any], order: Order | None = None) -> PagePlan:
        return plan_page(self.declared.known, given, self.parent, order or self._sorts.newest_first)


def _fitting(rows: list[Row]) -> list[Row]:
    """As many as make a page of a bounded size; at least one."""
    room = MAX_PAGE_LENGTH - sum([len(row[1]) for row in rows])
    shown = len(rows)
    while room < 0 and shown > 1:
        shown -= 1
        room += len(rows[shown][1])
    return rows[:shown]


def json_columns(record: type[msgspec.Struct], prefix: str = "", /, **special: str) -> dict[str, str]:
    """The columns of a record under their names in the API, perhaps with the `prefix` of their table; `special` replaces an expression."""
    return {
        field.encode_name: special.get(field.name, prefix + field.name)
        for field in msgspec.structs.fields(record)
    }
