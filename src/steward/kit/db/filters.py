"""What narrows a list: conditions over its rows, and how their values come from what a caller gave."""

import math
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from steward.kit.db.page_text import RowCondition
from steward.kit.db.pool import Database
from steward.kit.security.caller import TenantId

# So many combinations of values and no more are walked along one by one.
_MANY = 32
# How many values there are is up to callers.
_REMEMBERED = 128

Expand = Callable[[Database, TenantId, Any], Awaitable[list[str]]]


class Filter(msgspec.Struct, frozen=True):
    """A condition with `{}` in the place of each value, and how those come from what the caller gave.

    `column = {}` with the value as it came also takes several values.
    """

    condition: str
    values: Callable[[TenantId, Any], tuple[Any, ...]] | None = None
    # The same for a look through the newest records, where that may find enough without an index.
    among_newest: "Filter | None" = None
    # Whether a value narrows the list at all.
    narrows: Callable[[Any], bool] = lambda _given: True
    # All values that the given ones stand for.
    expand: Expand | None = None

    def has_several(self, given: Any) -> bool:
        return self.values is None and isinstance(given, list)

    def parameters(self, tenant: TenantId, given: Any) -> tuple[Any, ...]:
        return (given,) if self.values is None else self.values(tenant, given)


class Switch(msgspec.Struct, frozen=True):
    """A filter that is on or off, with a condition for either. A value in its place would leave PostgreSQL to guess how many
    have it.
    """

    on: str
    off: str

    def sides(self, name: str) -> dict[str, Filter]:
        """The filters that it stands for."""
        conditions = {True: self.on, False: self.off}
        return {_side(name, on=on): Filter(text, _no_values) for on, text in conditions.items()}


def _side(name: str, *, on: bool) -> str:
    return f"{name}: {'on' if on else 'off'}"


def _no_values(_tenant: TenantId, _given: Any) -> tuple[Any, ...]:
    return ()


class FilterUse(msgspec.Struct, frozen=True):
    """A filter as a statement has it: with one value, or with several."""

    name: str
    several: bool = False
    merged: bool = False
    # As many as its values take where they stand one by one: a few numbers, so that there are few statements.
    places: int | None = None


class Filters:
    """Those of one list, by name. Where they are used, they come as a mapping from name to what was given."""

    def __init__(self, filters: Mapping[str, str | Filter | Switch]) -> None:
        self._known: dict[str, Filter] = {}
        self._uses = lru_cache(maxsize=_REMEMBERED)(self._find_uses)
        self._switches: set[str] = set()
        for name, given in filters.items():
            if isinstance(given, Switch):
                self._switches.add(name)
                self._known |= given.sides(name)
            else:
                self._known[name] = Filter(given) if isinstance(given, str) else given

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._known)

    def narrowing(self, given: Mapping[str, Any]) -> dict[str, Any]:
        named = {
            _side(name, on=value) if name in self._switches else name: value for name, value in given.items()
        }
        return {name: value for name, value in named.items() if self._known[name].narrows(value)}

    def may_be_frequent(self, given: Mapping[str, Any]) -> bool:
        """Whether a look through the newest records may be enough: a word or one of many values is in them, or it is rare."""
        return self._searches(given) or any(len(given[name]) > _MANY for name in self._several(given))

    def _searches(self, given: Mapping[str, Any]) -> bool:
        return any(self._known[name].among_newest for name in given)

    def _several(self, given: Mapping[str, Any]) -> list[str]:
        return [name for name, value in given.items() if self._known[name].has_several(value)]

    async def expanded(self, db: Database, tenant: TenantId, given: Mapping[str, Any]) -> dict[str, Any]:
        expanded = dict(given)
        for name, value in given.items():
            if (expand := self._known[name].expand) is not None:
                expanded[name] = await expand(db, tenant, value)
        return expanded

    def uses(self, given: Mapping[str, Any], *, in_order: bool = False) -> tuple[FilterUse, ...]:
        """What a statement for these filters is made of; it depends on how many values they have, and not on which."""
        counts = [
            (name, len(value) if self._known[name].has_several(value) else None)
            for name, value in given.items()
        ]
        return self._uses(tuple(counts), in_order)

    def _find_uses(self, counts: tuple[tuple[str, int | None], ...], in_order: bool) -> tuple[FilterUse, ...]:  # noqa: FBT001
        """Filters of which each combination of values has a walk of its own, and others.

        Words are found by an index of their own. In an order of its own a list with many values is left to the planner: it
        may be quicker to walk along the order.
        """
        several = {name: count for name, count in counts if count is not None}
        merged: dict[str, int] = {}
        for name in () if self._searches(dict(counts)) else sorted(several, key=several.__getitem__):
            walks = math.prod(merged.values()) * several[name]
            if walks <= _MANY or not (merged or in_order):
                merged[name] = several[name]
        return tuple(
            FilterUse(
                name, name in several, name in merged, _places(merged[name]) if name in merged else None
            )
            for name, _ in counts
        )

    def conditions(self, uses: tuple[FilterUse, ...], *, among_newest: bool = False) -> list[RowCondition]:
        found = []
        for use in uses:
            text = self._chosen(use.name, among_newest=among_newest).condition
            merged = use.merged and not among_newest
            if use.several and not merged:
                text = text.replace("= {}", "= ANY ({}::text[])")
            found.append(RowCondition(text, merged, use.places))
        return found

    def parameters(
        self,
        tenant: TenantId,
        given: Mapping[str, Any],
        uses: tuple[FilterUse, ...],
        *,
        among_newest: bool = False,
    ) -> list[Any]:
        found: list[Any] = []
        for use in uses:
            value = given[use.name]
            if use.places is not None and not among_newest:
                # Nothing is equal to NULL.
                found += [*value, *[None] * (use.places - len(value))]
            else:
                found += self._chosen(use.name, among_newest=among_newest).parameters(tenant, value)
        return found

    def _chosen(self, name: str, *, among_newest: bool) -> Filter:
        known = self._known[name]
        return (known.among_newest if among_newest else None) or known


def _places(values: int) -> int | None:
    """The next power of two."""
    return None if values > _MANY else 1 << (values - 1).bit_length()
