"""The SQL of a scan.

A scan does a bounded amount of work, and has the same plan whether or not PostgreSQL knows the parameters when it plans. Which index is
used must not depend on how many rows the planner believes a tenant or a value has.
"""
# ruff: noqa: S608 (everything in the text is our own; what callers give are parameters)

from collections.abc import Iterable, Mapping

import msgspec

from steward.kit.db.bounds import at_most
from steward.kit.db.listing.conditions import Conditions
from steward.kit.db.listing.filters import Filter, FilterUse
from steward.kit.db.listing.plan import BoundedScan, CandidateScan, Scan
from steward.kit.db.listing.sorts import Order
from steward.kit.db.sql import Sql, Statements

# Planning more of them costs more than they save.
_MAX_UNION = 4
# One more than a page holds. Without it a plan for any limit would be one for a tenth of the list.
_MAX_PAGE = 101
# The first value of an order.
_LEAST = {"bigint": "-9223372036854775808", "text": "''"}


class ListSource(msgspec.Struct, frozen=True, kw_only=True):
    """`columns` maps JSON names to expressions over `table`, the identifier first; `item` is the JSON of a record if it is stored."""

    table: str
    columns: Mapping[str, str]
    item: str | None
    tenant_column: str

    @property
    def alias(self) -> str:
        """What the columns call the table."""
        return self.table.split()[-1]

    @property
    def id(self) -> str:
        return next(iter(self.columns.values()))

    @property
    def id_name(self) -> str:
        return f'"{next(iter(self.columns))}"'

    @property
    def selected(self) -> str:
        columns = ", ".join(f'{expression} AS "{name}"' for name, expression in self.columns.items())
        return columns if self.item is None else f"{columns}, {self.item} AS item"

    @property
    def record(self) -> str:
        """The record's columns alone, without what the page is sorted by."""
        columns = ", ".join(f"""page."{name}" """ for name in self.columns)
        return "" if self.item is not None else f"CROSS JOIN LATERAL (SELECT {columns}) shown"

    def json(self, row: str) -> str:
        return f"row_to_json({row})::text" if self.item is None else "page.item"


class ScanStatements:
    """Those of one list: one for each scan, order and number of values, made when it is first needed."""

    def __init__(self, source: ListSource, known: Mapping[str, Filter]) -> None:
        self._source, self._known = source, known
        self._statements = Statements()

    def get(self, scan: Scan, order: Order, uses: Mapping[str, FilterUse], *, continues: bool) -> Sql:
        """Its parameters: the tenant, then for the default order the last identifier of the page before, the limit, and those of
        the filters. For another order, where the page before ended comes last, and only if it `continues` one."""

        def text() -> str:
            first = 4 if order.is_default else 3
            return _ScanText(
                self._source, Conditions(scan, self._known, uses, first), order, continues=continues
            ).page(scan)

        used = tuple(uses[name] for name in scan.filters)
        return self._statements.get((scan, used, order.name, continues or order.is_default), text)


class _ScanText:
    def __init__(self, source: ListSource, found: Conditions, order: Order, *, continues: bool) -> None:
        self._source, self._found, self._order = source, found, order
        self._keys = [source.id] if order.is_default else [order.expression, source.id]
        self._key = "NULL::text" if order.is_default else order.expression
        self._direction = "DESC" if order.descending else "ASC"
        self._limit = "$3" if order.is_default else "$2"
        # Where the page before ended.
        number = found.next_number
        last = ("$2",) if order.is_default else (f"${number}::{order.type}", f"${number + 1}::text")
        self._start = last if continues or order.is_default else ()

    def page(self, scan: Scan) -> str:
        source = self._source
        match scan:
            case BoundedScan():
                rows = self._each_combination(
                    self._bounded(scan.max_rows // len(self._found.combinations) or 1)
                )
            case CandidateScan():
                rows = self._candidates(scan.max_rows)
            case _:
                return self._page_of_all(self._each_combination(self._index_scan()))
        json = f"CASE WHEN page.is_match THEN {source.json('shown')} END"
        return f"SELECT page.{source.id_name}, {json}, page.sort_key, page.is_last FROM ({rows}) page {source.record}"

    def _page_of_all(self, rows: str) -> str:
        source = self._source
        if self._order.is_default:
            return f"SELECT page.{source.id_name}, {source.json('page')} FROM ({rows}) page LIMIT {_MAX_PAGE}"
        return f"""SELECT page.{source.id_name}, {source.json("shown")}, page.sort_key
                   FROM ({rows}) page {source.record} LIMIT {_MAX_PAGE}"""

    def _index_scan(self) -> str:
        key = "" if self._order.is_default else f", {self._key} AS sort_key"
        return f"SELECT {self._source.selected}{key} FROM {self._source.table} {self._in_order()} LIMIT {self._limit}"

    def _bounded(self, max_rows: int) -> str:
        """Ends early if the page is full; else with the last row that was read, where the next scan continues. Each level says the order,
        or the planner would read all rows to sort them again."""
        order = self._sorted("sort_key")
        rows = f"SELECT *, {self._key} AS sort_key FROM {self._source.table} {self._in_order()}"
        rows = at_most(max_rows, rows, alias=self._source.alias, order=order)
        return self._rechecked(rows, self._found.recheck, max_rows, order, self._limit, f"ORDER BY {order}")

    def _in_order(self) -> str:
        """The rows of an index that begins with the columns that have to be equal to something, in the order of the list."""
        found, order = self._found, self._order
        where = [f"{self._source.tenant_column} = $1", *found.indexed]
        # With the tenant, so that the planner doesn't see both ends of a range, of which it would believe that they enclose next to nothing.
        where += [
            f"({key}, {self._source.tenant_column}) {sign} ({value}, $1)" for key, sign, value in found.bounds
        ]
        if self._start:
            sign = "<" if order.descending else ">"
            where += [
                f"{_row(self._keys)} {sign} {_row(self._start)}",
                *self._equal(self._keys, sign, self._start),
            ]
        else:
            where += self._equal(self._keys[:1], ">=", (_LEAST[order.type],))
        return f"WHERE {' AND '.join(where)} ORDER BY {self._sorted()}"

    def _equal(self, keys: list[str], sign: str, start: tuple[str, ...]) -> list[str]:
        """That columns are equal to something, and the same again as a position in the index that begins with them. That makes the planner
        use this index even if it has seen only one value in the whole table, and believes that any index in the order will do."""
        columns, values = self._found.columns, self._found.values
        if not columns:
            return []
        equal = [f"{column} = {value}" for column, value in zip(columns, values, strict=True)]
        return [*equal, f"{_row([*columns, *keys])} {sign} {_row([*values, *start])}"]

    def _candidates(self, max_rows: int) -> str:
        """In the order of their index. If there are more, the first row tells."""
        last, found = max_rows + 1, self._found
        rows = at_most(
            last, f"SELECT *, {self._key} AS sort_key FROM {self._source.table} {self._unsorted()}"
        )
        if found.each_value is not None:
            rows = f"SELECT part.* FROM {found.each_value} CROSS JOIN LATERAL ({rows}) part LIMIT (SELECT {last})"
        sign = "<" if self._order.descending else ">"
        start = [f"{_row(self._keys)} {sign} {_row(self._start)}"] if self._start else []
        order = f"(row_count = {last}) DESC, {self._sorted('sort_key')}"
        return self._rechecked(rows, [*found.recheck, *start], last, order, f"{self._limit} + 1")

    def _unsorted(self) -> str:
        found, tenant, id = self._found, f"{self._source.tenant_column} = $1", self._source.id
        if found.by_words:
            # Entries of the search index belong to a tenant. Any other index would find all records of the tenant; under this collation
            # none can be used.
            return f"""WHERE {" AND ".join([f'{tenant} COLLATE "POSIX"', *found.indexed])}"""
        if found.range is not None:
            equal = [f"{column} = {value}" for column, value in zip(found.columns, found.values, strict=True)]
            return f"WHERE {' AND '.join([tenant, *equal, *found.indexed])} ORDER BY {found.range}"
        equal = self._equal([id], ">=", (_LEAST["text"],))
        return f"WHERE {' AND '.join([tenant, *found.indexed, *equal])} ORDER BY {id} DESC"

    def _rechecked(
        self, rows: str, recheck: list[str], last: int, order: str, limit: str, counted: str = ""
    ) -> str:
        alias = self._source.alias
        return f"""SELECT {self._source.selected}, sort_key, is_match, row_count = {last} AS is_last
                   FROM (SELECT {alias}.*, ({" AND ".join(recheck) or "true"}) IS TRUE AS is_match,
                                row_number() OVER ({counted}) AS row_count
                         FROM ({rows}) {alias}) {alias}
                   WHERE is_match OR row_count = {last} ORDER BY {order} LIMIT {limit}"""

    def _each_combination(self, rows: str) -> str:
        """One scan for each combination of several values, merged: it costs as much as a page of each, even if the values differ much
        in number."""
        found = self._found
        if not found.several:
            return rows
        keys = (
            [f"part.{self._source.id_name}"]
            if self._order.is_default
            else ["part.sort_key", f"part.{self._source.id_name}"]
        )
        end = f"ORDER BY {', '.join(f'{key} {self._direction}' for key in keys)} LIMIT {self._limit}"
        if len(found.combinations) <= _MAX_UNION:
            scans = " UNION ALL ".join(f"({_replaced(rows, values)})" for values in found.combinations)
            return f"SELECT part.* FROM ({scans}) part {end}"
        return f"""SELECT part.* FROM {" CROSS JOIN ".join(found.several)}
                   CROSS JOIN LATERAL ({rows}) part {end}"""

    def _sorted(self, key: str | None = None) -> str:
        keys = self._keys if key is None or self._order.is_default else [key, self._source.id]
        return ", ".join(f"{key} {self._direction}" for key in keys)


def _row(parts: Iterable[str]) -> str:
    return f"({', '.join(parts)})"


def _replaced(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text
