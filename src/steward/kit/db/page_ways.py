"""Which ways there are to the rows of a page, by what it is asked for.

A page without filters, or with one that has an index in the order of the list, is a walk along that index which ends when the
page is full. Where more is asked for, rows that don't fit lie in between, and how many these are is nobody's guess: so a
stretch of bounded length is walked along each index that there is, and where that doesn't fill the page, the records that a
filter leaves are listed as candidates, as long as they are few. One of both is the whole answer, or else the page ends where
the longest walk did.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from steward.kit.db.filters import MANY, Filters
from steward.kit.db.page_text import Way
from steward.kit.db.row_conditions import Bound

# Rows that a stretch looks at, and the second one, where the first didn't fill the page.
STRETCH = 2000
LONG_STRETCH = 8000
# Records that a filter may leave to be listed.
CANDIDATES = 1000
# Values that are looked up one by one for candidates.
_MANY_VALUES = 256


class Ways(msgspec.Struct, frozen=True):
    """`walks` in the list's order, of which there is always one; and `candidates`, for when these are too long."""

    walks: tuple[Way, ...]
    candidates: tuple[Way, ...] = ()

    @property
    def whole(self) -> Way | None:
        """The one walk that has no row in between."""
        return self.walks[0] if self.walks and self.walks[0].most is None else None


class OrderIndex(msgspec.Struct, frozen=True):
    """What the order of a list is an order by, and which filters have an index together with it; None for every one that has a
    column or a part."""

    expression: str
    beside: tuple[str, ...] | None


def find_ways(filters: Filters, given: Mapping[str, Any], parent: tuple[str, ...], order: OrderIndex) -> Ways:
    """`given` is in the order in which the list declares its filters: those that narrow most come first."""
    known = filters.known
    inside = tuple(name for name in given if name not in parent and _is_within(known[name].range, order))
    rest = tuple(name for name in given if name not in (*parent, *inside))
    if unique := next((name for name in rest if known[name].unique), None):
        held = tuple(name for name in (*inside, *rest) if name != unique)
        return Ways((), (Way((*parent, unique), held=held, most=CANDIDATES, candidates=True),))
    if not rest:
        return Ways((Way(parent, inside),))
    leading = [name for name in rest if _leads(filters, name, given[name], order)]
    if leading == list(rest) and len(rest) == 1:
        return Ways((Way((*parent, *rest), inside),))
    cost = _cost(filters, rest)
    walks = tuple(
        Way((*parent, *led), inside, tuple(name for name in rest if name not in led), STRETCH // cost)
        for led in _each_alone(leading)
    )
    others = [name for name in rest if name not in leading]
    return Ways(walks, tuple(_candidates(filters, given, parent, rest, others, inside)))


def find_few(
    filters: Filters, given: Mapping[str, Any], parent: tuple[str, ...], most: int
) -> tuple[Way, ...]:
    """Ways to list all records, as long as there are few: by the filters that have an index, and without one."""
    rest = tuple(name for name in given if name not in parent)
    whole = Way(parent, held=rest, most=most, candidates=True)
    unique = [
        Way((*parent, name), held=tuple(n for n in rest if n != name), most=most, candidates=True)
        for name in rest
        if filters.known[name].unique
    ]
    listed = _candidates(filters, given, parent, rest, list(rest), ())
    return (*unique, *(msgspec.structs.replace(way, most=most) for way in listed), whole)


def _cost(filters: Filters, names: Iterable[str]) -> int:
    """Of a look at a row."""
    return 1 + sum(filters.known[name].cost - 1 for name in names)


def _each_alone(names: list[str]) -> list[tuple[str, ...]]:
    """Or nothing, where there is none."""
    return [(name,) for name in names] or [()]


def longer(way: Way) -> Way:
    return msgspec.structs.replace(way, most=(way.most or STRETCH) * LONG_STRETCH // STRETCH)


def _is_within(bound: Bound | None, order: OrderIndex) -> bool:
    """Whether it says where in the order the list begins or ends, and nothing else."""
    return bound is not None and bound.expression == order.expression and bound.value == 0


def _leads(filters: Filters, name: str, value: Any, order: OrderIndex) -> bool:
    known = filters.known[name]
    if known.has_several(value) and len(value) > MANY:
        return False
    if order.beside is not None:
        return name in order.beside
    return known.column is not None or known.part


def _candidates(
    filters: Filters,
    given: Mapping[str, Any],
    parent: tuple[str, ...],
    rest: tuple[str, ...],
    others: list[str],
    inside: tuple[str, ...],
) -> list[Way]:
    cost = _cost(filters, rest)
    groups: dict[str, tuple[str, ...]] = {}
    for name in others:
        known = filters.known[name]
        if known.range is not None:
            # Both ends of a range are one way.
            groups[known.range.expression] = (*groups.get(known.range.expression, ()), name)
        elif known.words is not None or known.part or _few_values(filters, name, given[name]):
            groups[name] = (name,)
    found = []
    for names in groups.values():
        words = filters.known[names[0]].words is not None
        leading = names if words else (*parent, *names)
        held = tuple(name for name in (*(parent if words else ()), *inside, *rest) if name not in names)
        found.append(Way(leading, held=held, most=CANDIDATES // cost, candidates=True))
    return found


def _few_values(filters: Filters, name: str, value: Any) -> bool:
    known = filters.known[name]
    return known.column is not None and not (known.has_several(value) and len(value) > _MANY_VALUES)
