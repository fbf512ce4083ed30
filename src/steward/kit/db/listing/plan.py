"""Which indexes a page is read from, and which filters are rechecked on the rows: from the filters and the order, without the database.

A page without filters, or with one that has an index in the order of the list, is read from that index until it is full. With more
filters, rows that don't match lie in between, and their number can't be known in advance. So each suitable index is scanned for a
bounded number of rows; if none of these scans fills the page or ends the list, the rows that one filter finds in another order are
taken as candidates, as long as there are few. One of these is the whole answer, or else the page ends where the longest scan ended.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from steward.kit.db.bounds import CANDIDATES, CONTINUED_ROWS, MAX_SORTED, SCANNED_ROWS
from steward.kit.db.listing.filters import MAX_SCANNED_VALUES, Filter
from steward.kit.db.listing.sorts import Order

# Values that candidates are looked up by, one by one.
_MAX_LOOKED_UP_VALUES = 256


class Scan(msgspec.Struct, frozen=True):
    """Filters by name: `leading` find the rows in the index, `bounds` say where in the list's order to begin or to end, and `recheck`
    are tested on each row."""

    leading: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    recheck: tuple[str, ...] = ()

    @property
    def filters(self) -> tuple[str, ...]:
        return (*self.leading, *self.bounds, *self.recheck)


class IndexScan(Scan, frozen=True):
    """In the order of the list. Nothing is rechecked: every row belongs to the page, and the scan ends when it is full."""


class BoundedScan(Scan, frozen=True, kw_only=True):
    """In the order of the list, until the page is full or `max_rows` rows have been rechecked."""

    max_rows: int

    def continued(self) -> "BoundedScan":
        return msgspec.structs.replace(self, max_rows=self.max_rows * CONTINUED_ROWS // SCANNED_ROWS)


class CandidateScan(Scan, frozen=True, kw_only=True):
    """All rows that an index in another order finds, to be sorted; it tells if they are more than `max_rows`."""

    max_rows: int


class PagePlan(msgspec.Struct, frozen=True):
    """Scans in the order of the list, then those of candidates, each for when the ones before it aren't the whole answer."""

    in_order: tuple[IndexScan | BoundedScan, ...] = ()
    candidates: tuple[CandidateScan, ...] = ()


def plan_page(
    known: Mapping[str, Filter], given: Mapping[str, Any], parent: tuple[str, ...], order: Order
) -> PagePlan:
    """`given` is in the order in which the list declares its filters."""
    if order.by_index and len(given) == len(parent):
        return PagePlan((IndexScan(parent),))
    page = _Page(known, given, parent, order)
    return page.plan() if order.by_index else page.plan_sorting()


class _Page:
    def __init__(
        self, known: Mapping[str, Filter], given: Mapping[str, Any], parent: tuple[str, ...], order: Order
    ) -> None:
        self._known, self._given, self._parent, self._order = known, given, parent, order
        asked = [name for name in given if name not in parent]
        self._bounds = tuple(name for name in asked if self._bounds_order(known[name]))
        self._rest = tuple(name for name in asked if name not in self._bounds)
        # A recheck of some filters reads more than its row.
        self._cost = 1 + sum(known[name].cost - 1 for name in self._rest)

    def plan(self) -> PagePlan:
        if unique := next(self._unique(), None):
            return PagePlan((), (self._candidate_scan((unique,), CANDIDATES),))
        leading = [name for name in self._rest if self._leads(name)]
        if len(self._rest) == len(leading) <= 1:
            return PagePlan((IndexScan((*self._parent, *leading), self._bounds),))
        alternatives: list[tuple[str, ...]] = [(name,) for name in leading] or [()]
        in_order = tuple(
            BoundedScan(
                (*self._parent, *led),
                self._bounds,
                _without(self._rest, led),
                max_rows=SCANNED_ROWS // self._cost,
            )
            for led in alternatives
        )
        return PagePlan(
            in_order, self._candidate_scans(_without(self._rest, leading), CANDIDATES // self._cost)
        )

    def plan_sorting(self) -> PagePlan:
        """For an order without an index: by the filters that have one, then by all records of the list."""
        unique = [self._candidate_scan((name,), MAX_SORTED) for name in self._unique()]
        return PagePlan(
            (),
            (*unique, *self._candidate_scans(self._rest, MAX_SORTED), self._candidate_scan((), MAX_SORTED)),
        )

    def _unique(self) -> Iterator[str]:
        return (name for name in self._rest if self._known[name].unique)

    def _bounds_order(self, filter: Filter) -> bool:
        """Whether it only says where in the order the list begins or ends."""
        bound = filter.range
        return (
            self._order.by_index
            and bound is not None
            and bound.expression == self._order.expression
            and bound.value == 0
        )

    def _leads(self, name: str) -> bool:
        """Whether it has an index in the order of the list."""
        filter = self._known[name]
        if self._has_more_values(name, MAX_SCANNED_VALUES):
            return False
        if self._order.indexed_with is not None:
            return name in self._order.indexed_with
        return filter.column is not None or filter.part

    def _candidate_scans(self, names: Iterable[str], max_rows: int) -> tuple[CandidateScan, ...]:
        groups: dict[str, tuple[str, ...]] = {}
        for name in names:
            filter = self._known[name]
            if filter.range is not None:
                # Both ends of a range are one scan.
                groups[filter.range.expression] = (*groups.get(filter.range.expression, ()), name)
            elif filter.words is not None or filter.part or self._can_be_looked_up(name):
                groups[name] = (name,)
        return tuple(self._candidate_scan(group, max_rows) for group in groups.values())

    def _candidate_scan(self, group: tuple[str, ...], max_rows: int) -> CandidateScan:
        recheck = _without((*self._bounds, *self._rest), group)
        # The search index begins with the words, every other one with what the list lies in.
        if group and self._known[group[0]].words is not None:
            return CandidateScan(group, (), (*self._parent, *recheck), max_rows=max_rows)
        return CandidateScan((*self._parent, *group), (), recheck, max_rows=max_rows)

    def _can_be_looked_up(self, name: str) -> bool:
        return self._known[name].column is not None and not self._has_more_values(name, _MAX_LOOKED_UP_VALUES)

    def _has_more_values(self, name: str, most: int) -> bool:
        given = self._given[name]
        return self._known[name].has_several(given) and len(given) > most


def _without(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)
