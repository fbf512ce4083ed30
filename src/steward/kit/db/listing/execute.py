"""Runs the scans of a plan until one is the whole answer: the only place of a list request that asks the database."""

from collections.abc import Mapping
from typing import Any

import msgspec

from steward.kit.db.bounds import MAX_SORTED
from steward.kit.db.listing.conditions import parameters
from steward.kit.db.listing.filters import Filters
from steward.kit.db.listing.plan import BoundedScan, CandidateScan, IndexScan, PagePlan
from steward.kit.db.listing.sorts import Order
from steward.kit.db.listing.statements import ScanStatements
from steward.kit.db.sql import Row
from steward.kit.db.transaction import Database
from steward.kit.domain.ids import AFTER_ALL
from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import TenantId

# Where a page ended: an identifier, or what the list is sorted by and an identifier.
Position = Any


class ScanResult(msgspec.Struct, frozen=True):
    """(identifier, JSON, what it is sorted by) of records in the order of the list. If they are fewer than the limit and the list goes on,
    `reached` is the position of the last row that was read."""

    rows: list[Row]
    reached: Position = None


async def expand(
    filters: Filters, db: Database, tenant: TenantId, given: Mapping[str, Any]
) -> dict[str, Any]:
    """With all values that the given ones stand for, in the order in which the list declares its filters."""
    expanded = (
        {name: given[name] for name in filters.known if name in given} if len(given) > 1 else dict(given)
    )
    for name, value in expanded.items():
        if (expand_value := filters.known[name].expand) is not None:
            expanded[name] = await expand_value(db, tenant, value)
    return expanded


class Executor:
    """`start` is where the page before ended."""

    def __init__(
        self,
        db: Database,
        tenant: TenantId,
        filters: Filters,
        statements: ScanStatements,
        *,
        given: Mapping[str, Any],
        order: Order,
        limit: int,
    ) -> None:
        self._db, self._tenant, self._known, self._statements = db, tenant, filters.known, statements
        self._given, self._order, self._limit = given, order, limit
        self._uses = filters.uses(given)

    async def run(self, plan: PagePlan, start: Position) -> ScanResult:
        longest: tuple[BoundedScan, ScanResult] | None = None
        for scan in plan.in_order:
            found = await self._scan_in_order(scan, start)
            if found.reached is None or isinstance(scan, IndexScan):
                return found
            if longest is None or self._is_farther(found.reached, longest[1].reached):
                longest = scan, found
        for candidates in plan.candidates:
            rows = await self._fetch(candidates, start)
            if not (rows and rows[0][3]):
                return ScanResult(rows[: self._limit])
        return await self._continue(*longest) if longest else self._give_up()

    async def _continue(self, scan: BoundedScan, found: ScanResult) -> ScanResult:
        more = await self._scan_in_order(scan.continued(), found.reached)
        return ScanResult([*found.rows, *more.rows][: self._limit], more.reached)

    def _give_up(self) -> ScanResult:
        if self._order.by_index:
            return ScanResult([])
        raise Invalid(
            "sort",
            f"takes several fields for up to {MAX_SORTED:,} records; these are more: narrow them by filters",
        )

    async def _scan_in_order(self, scan: IndexScan | BoundedScan, start: Position) -> ScanResult:
        rows = await self._fetch(scan, start)
        if isinstance(scan, IndexScan):
            return ScanResult(rows)
        matches: list[Row] = []
        for row in rows:
            if row[1] is not None:
                matches.append(row)
            if row[3] and len(matches) < self._limit:
                return ScanResult(matches, position_of(row, self._order))
        return ScanResult(matches)

    async def _fetch(self, scan: IndexScan | BoundedScan | CandidateScan, start: Position) -> list[Row]:
        statement = self._statements.get(scan, self._order, self._uses, continues=start is not None)
        values = parameters(scan, self._known, self._uses, self._given, self._tenant)
        if self._order.is_default:
            return await self._db.fetch(statement, self._tenant, start or AFTER_ALL, self._limit, *values)
        return await self._db.fetch(statement, self._tenant, self._limit, *values, *(start or ()))

    def _is_farther(self, position: Position, other: Position) -> bool:
        """Identifiers sort here as in the database; other values may not."""
        return self._order.is_default and position < other


def position_of(row: Row, order: Order | None) -> Position:
    return row[0] if order is None or order.is_default else [row[2], row[0]]
