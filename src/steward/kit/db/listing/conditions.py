"""The conditions of one scan as SQL, with numbered parameters, and the values of these in the same order."""

import itertools
from collections.abc import Mapping
from typing import Any

from steward.kit.db.listing.filters import Filter, FilterUse
from steward.kit.db.listing.plan import CandidateScan, Scan
from steward.kit.security.caller import TenantId


class Conditions:
    """`uses` has every filter of the scan; parameters are numbered from `first` on."""

    def __init__(
        self, scan: Scan, known: Mapping[str, Filter], uses: Mapping[str, FilterUse], first: int
    ) -> None:
        self._numbers = itertools.count(first)
        # Columns that have to be equal to something, and the SQL of that.
        self.columns: list[str] = []
        self.values: list[str] = []
        # For several values: the parameters of each single scan, by the SQL that stands for the value.
        self.combinations: list[dict[str, str]] = [{}]
        self.several: list[str] = []
        # For candidates with several values: the rows that these become.
        self.each_value: str | None = None
        # The expression of a candidate scan's index, if it isn't that of columns.
        self.range: str | None = None
        self.by_words = False
        # Further conditions that the index answers.
        self.indexed: list[str] = []
        self.recheck: list[str] = []
        for name in scan.leading:
            self._lead(known[name], uses[name], is_candidate=isinstance(scan, CandidateScan))
        # Expression, sign and parameter of those that bound the order.
        self.bounds = [self._bound(known[name]) for name in scan.bounds]
        self.recheck += [self._numbered(known[name].text(uses[name])) for name in scan.recheck]
        self.next_number = next(self._numbers)

    def _next(self) -> str:
        return f"${next(self._numbers)}"

    def _numbered(self, text: str) -> str:
        while "{}" in text:
            text = text.replace("{}", self._next(), 1)
        return text

    def _lead(self, filter: Filter, use: FilterUse, *, is_candidate: bool) -> None:
        text = filter.text(use)
        if filter.words is not None:
            self.by_words = True
            self.indexed.append(self._numbered(filter.words))
            self.recheck.append(self._numbered(text))
        elif filter.column is not None:
            self.columns.append(filter.column)
            self.values.append(self._equal(filter.type, use, is_candidate=is_candidate))
        elif (bound := filter.index_range(use)) is not None:
            parameters = [self._next() for _ in range(text.count("{}"))]
            self.range = bound.expression
            self.indexed.append(bound.condition(parameters))
            self.recheck.append(text.format(*parameters))
        else:
            self.indexed.append(self._numbered(text))

    def _bound(self, filter: Filter) -> tuple[str, str, str]:
        assert filter.range is not None  # noqa: S101 (the plan puts no other there)
        return filter.range.expression, filter.range.sign, self._next()

    def _equal(self, type: str, use: FilterUse, *, is_candidate: bool) -> str:
        """The SQL of the value, hidden from the planner in a subquery, so that it makes one plan for all values."""
        if not use.several:
            return f"(SELECT {self._next()}::{type})"
        if is_candidate:
            self.each_value = f"unnest({self._next()}::text[]) AS one (value)"
            return "one.value"
        name = f"one{len(self.several)}.value"
        parameters = [f"{self._next()}::text" for _ in range(use.parameters)]
        rows = ", ".join(f"({parameter})" for parameter in parameters)
        self.several.append(f"(VALUES {rows}) AS one{len(self.several)} (value)")
        self.combinations = [
            {**scan, name: f"(SELECT {parameter})"} for scan in self.combinations for parameter in parameters
        ]
        return name


def parameters(
    scan: Scan,
    known: Mapping[str, Filter],
    uses: Mapping[str, FilterUse],
    given: Mapping[str, Any],
    tenant: TenantId,
) -> list[Any]:
    """In the order in which `Conditions` numbers them."""
    found: list[Any] = []
    for name in scan.leading:
        if uses[name].several and not isinstance(scan, CandidateScan):
            # Nothing is equal to NULL.
            found += [*given[name], *[None] * (uses[name].parameters - len(given[name]))]
        else:
            found += known[name].parameters(tenant, given[name])
    for name in (*scan.bounds, *scan.recheck):
        # A recheck doesn't need what the search index does.
        found += known[name].parameters(tenant, given[name])[1 if known[name].words is not None else 0 :]
    return found
