"""Lists: newest first, by keyset. A page costs the same at any depth, and the cursor can't be forged or reused."""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import msgspec

from steward.kit.db import search
from steward.kit.db.cursors import Cursors
from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, Sql, Statements
from steward.kit.domain.ids import AFTER_ALL
from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import TenantId

# Characters of JSON. A page of large records holds fewer than were asked for, and says where the next one begins.
MAX_PAGE_LENGTH = 4 * 1024 * 1024


class FilterQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Query parameters that narrow a list."""

    def filters(self) -> dict[str, Any]:
        """The filters that were given, by field name."""
        own = (name for name in self.__struct_fields__ if name not in PAGING)
        return {name: value for name in own if (value := getattr(self, name)) is not None}


class PageQuery(FilterQuery, frozen=True, kw_only=True):
    """What every list takes; a slice adds its filters by inheriting."""

    limit: Annotated[
        int, msgspec.Meta(ge=1, le=100, description="How many items a page holds at most.", examples=[20])
    ] = 20
    last_evaluated_key: Annotated[
        str | None,
        msgspec.Meta(description="The `lastEvaluatedKey` of the page before. URL-encode it."),
    ] = None


class SortedPageQuery(PageQuery, frozen=True, kw_only=True):
    """For lists that can be sorted by something else than when their records were made."""

    sort: Annotated[
        str | None,
        msgspec.Meta(
            description="A field to sort by, ascending; with `-` in front of it descending. Newest first, when absent.",
            examples=["-updated"],
        ),
    ] = None


# What says which part of a list is wanted, and in which order, rather than what is in it.
PAGING = frozenset(SortedPageQuery.__struct_fields__)


class Page(msgspec.Struct, frozen=True):
    """Items already encoded as JSON, and where the next page begins."""

    items: list[str]
    last_evaluated_key: str | None


class Filter(msgspec.Struct, frozen=True):
    """A condition with `{}` in the place of each value, and how those come from what the caller gave."""

    condition: str
    values: Callable[[TenantId, Any], tuple[Any, ...]] = lambda _tenant, given: (given,)
    # The same for a look through the newest records, where that may find enough without an index.
    among_newest: "Filter | None" = None


class Sort(msgspec.Struct, frozen=True):
    """An expression to sort by, which is never NULL and has an index together with the identifier; and its type."""

    expression: str
    type: str = "bigint"


class _Order(msgspec.Struct, frozen=True):
    """How a list is sorted, as a caller asked for it."""

    sort: Sort
    descending: bool


# What `q` does on every table with the search columns.
SEARCH = Filter(search.CONDITION, search.query, Filter(search.CONDITION_WITHOUT_INDEX, search.words))


class Listing:
    """A list of records: the JSON of each is made by PostgreSQL, which costs half of decoding the rows here.

    `columns` maps JSON names to expressions over `source`, in order, the identifier first; `filters` maps query fields to
    conditions; `sorts` what the list can be sorted by. `parent` is the column that names what the list lies in, where its path does, too: a filter that is always
    there. `item` is an expression for records that are stored as JSON already. There is one statement per set of filters
    in use, so that each has a plan of its own.
    """

    def __init__(
        self,
        source: str,
        columns: Mapping[str, str],
        *,
        filters: Mapping[str, str | Filter] | None = None,
        sorts: Mapping[str, Sort] | None = None,
        parent: str | None = None,
        item: str | None = None,
        tenant_column: str = "organization_id",
    ) -> None:
        self.name = source.split(maxsplit=1)[0]
        self.columns = columns
        self._source = source
        self._parent = {parent: f"{parent} = {{}}"} if parent else {}
        self._filters = {
            name: Filter(given) if isinstance(given, str) else given
            for name, given in {**self._parent, **(filters or {})}.items()
        }
        self._sorts = sorts or {}
        self._item = item
        self._tenant_column = tenant_column
        self._statements = Statements()
        self.statement(tuple(self._parent))
        self.statement(tuple(self._filters))
        for name in self._sorts:
            for order in (self._order(name), self._order(f"-{name}")):
                self._sorted_statement((), order, continues=True)

    def statement(self, names: tuple[str, ...]) -> Sql:
        return self._statements.get(names, lambda: self._text(names))

    def filters(self, query: FilterQuery, parent_id: str | None) -> dict[str, Any]:
        """What narrows this list: what it lies in, then what the caller asks for."""
        return {**dict.fromkeys(self._parent, parent_id), **query.filters()}

    async def page(
        self,
        db: Database,
        cursors: Cursors,
        tenant: TenantId,
        query: PageQuery,
        *,
        parent_id: str | None = None,
    ) -> Page:
        filters = self.filters(query, parent_id)
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
        values = [
            value for name, given in filters.items() for value in self._filters[name].values(tenant, given)
        ]
        return await db.fetch(self.statement(tuple(filters)), tenant, before, limit, *values)

    async def _newest_rows(
        self, db: Database, tenant: TenantId, filters: Mapping[str, Any], before: str, limit: int
    ) -> list[Row]:
        """The same; what many records have is found among the newest, without a look at all that have it."""
        names = tuple(filters)
        if any(self._filters[name].among_newest for name in names):
            statement = self._statements.get(("newest", names), lambda: self._text_among_newest(names))
            values = [
                value
                for name, given in filters.items()
                for value in _among_newest(self._filters[name]).values(tenant, given)
            ]
            rows = await db.fetch(statement, tenant, before, limit, *values)
            if len(rows) == limit:
                return rows
        return await self.rows(db, tenant, filters, before, limit)

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
        values = [
            value for name, given in filters.items() for value in self._filters[name].values(tenant, given)
        ]
        statement = self._sorted_statement(tuple(filters), order, continues=bool(start))
        rows = await db.fetch(statement, tenant, query.limit + 1, *values, *start)
        shown = _fitting(rows[: query.limit])
        cursor = None
        if len(rows) > len(shown):
            last = msgspec.json.encode([shown[-1][2], shown[-1][0]]).decode()
            cursor = cursors.seal(tenant, listing, filters, last)
        return Page([row[1] for row in shown], cursor)

    def _order(self, sort: str) -> _Order:
        name = sort.removeprefix("-")
        if name not in self._sorts:
            raise Invalid("sort", f"expected one of {', '.join(self._sorts)}, with - in front for descending")
        return _Order(self._sorts[name], sort.startswith("-"))

    def _sorted_statement(self, names: tuple[str, ...], order: _Order, *, continues: bool) -> Sql:
        key = ("sorted", names, order, continues)
        return self._statements.get(key, lambda: self._sorted_text(names, order, continues=continues))

    def _sorted_text(self, names: tuple[str, ...], order: _Order, *, continues: bool) -> str:
        id_name, id_column = next(iter(self.columns.items()))
        conditions, next_place = self._conditions([self._filters[name] for name in names], 3)
        expression, direction = order.sort.expression, "DESC" if order.descending else "ASC"
        if continues:
            sign = "<" if order.descending else ">"
            place = f"(${next_place}::{order.sort.type}, ${next_place + 1}::text)"
            conditions += f" AND ({expression}, {id_column}) {sign} {place}"
        item = "(to_jsonb(page) - 'sort_key')::text" if self._item is None else "page.item"
        return f"""SELECT page."{id_name}", {item}, page.sort_key
                   FROM (SELECT {self._selected}, {expression} AS sort_key FROM {self._source}
                         WHERE {self._tenant_column} = $1{conditions}
                         ORDER BY {expression} {direction}, {id_column} {direction} LIMIT $2) page"""  # noqa: S608

    def _text(self, names: tuple[str, ...]) -> str:
        id_name, id_column = next(iter(self.columns.items()))
        conditions, _ = self._conditions([self._filters[name] for name in names], 4)
        item = "row_to_json(page)::text" if self._item is None else "page.item"
        return f"""SELECT page."{id_name}", {item}
                   FROM (SELECT {self._selected} FROM {self._source}
                         WHERE {self._tenant_column} = $1 AND {id_column} < $2{conditions}
                         ORDER BY {id_column} DESC LIMIT $3) page"""  # noqa: S608 (all parts are literals of ours)

    def _text_among_newest(self, names: tuple[str, ...]) -> str:
        id_name, id_column = next(iter(self.columns.items()))
        conditions, _ = self._conditions([_among_newest(self._filters[name]) for name in names], 4)
        item = "row_to_json(page)::text" if self._item is None else "page.item"
        return f"""SELECT page."{id_name}", {item}
                   FROM (SELECT {self._selected}
                         FROM (SELECT * FROM {self._source} WHERE {self._tenant_column} = $1 AND {id_column} < $2
                               ORDER BY {id_column} DESC LIMIT {search.WINDOW}) {self.name}
                         WHERE true{conditions}
                         ORDER BY {id_column} DESC LIMIT $3) page"""  # noqa: S608 (all parts are literals of ours)

    @property
    def _selected(self) -> str:
        columns = ", ".join(f'{expression} AS "{name}"' for name, expression in self.columns.items())
        return columns if self._item is None else f"{columns}, {self._item} AS item"

    @staticmethod
    def _conditions(filters: Iterable[Filter], first_place: int) -> tuple[str, int]:
        """What the filters ask for, with their values from a place on; and the place after them."""
        places = itertools.count(first_place)
        conditions = "".join(
            " AND " + re.sub(r"{}", lambda _: f"${next(places)}", filter.condition) for filter in filters
        )
        return conditions, next(places)


def _among_newest(filter: Filter) -> Filter:
    return filter.among_newest or filter


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
