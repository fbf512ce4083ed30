"""What narrows a list: conditions over its rows, and how their values come from what a caller gave."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.row_conditions import Bound, RowCondition
from steward.kit.security.caller import TenantId

# So many values and no more are walked along one by one.
MANY = 32

Expand = Callable[[Database, TenantId, Any], Awaitable[list[str]]]

_EQUAL = re.compile(r"([\w.]+) = {}")
_BOUND = re.compile(r"(.+) (>=|>|<=|<) {}")
_UNIQUE = re.compile(r"(.+) = (.*{}.*)")


class Filter(msgspec.Struct, frozen=True):
    """A condition with `{}` in the place of each value, as it is held against a row, and how those come from what the caller gave.

    How an index finds the rows follows from the condition: `column = {}` has one over the tenant, the column and the
    identifier, and takes several values where they are given as they came; `expression >= {}` and its like have one over the
    tenant and the expression. Where it doesn't follow, it is said: by a `bound`, by `part`, when there is a partial index
    over tenant and identifier with this very condition, by `words`, which is the condition for the search index, and by
    `indexed=False`, where there is none: then the rows are found while walking along another index, and by no other way.
    A `unique` one is that of a record at most. `type` is that of the column;
    `cost` is how many pages of the database a look at a row takes.
    """

    condition: str
    values: Callable[[TenantId, Any], tuple[Any, ...]] | None = None
    bound: Bound | None = None
    part: bool = False
    words: str | None = None
    indexed: bool = True
    unique: bool = False
    cost: int = 1
    type: str = "text"
    # Whether a value narrows the list at all.
    narrows: Callable[[Any], bool] = lambda _given: True
    # All values that the given ones stand for.
    expand: Expand | None = None

    @property
    def column(self) -> str | None:
        equal = _EQUAL.fullmatch(self.condition)
        return equal[1] if equal and self.indexed and not self.unique else None

    @property
    def range(self) -> Bound | None:
        if self.bound is not None or not self.indexed:
            return self.bound
        if self.unique and (matched := _UNIQUE.fullmatch(self.condition)):
            return Bound(matched[1], "=", compared=matched[2])
        matched = _BOUND.fullmatch(self.condition)
        return Bound(matched[1], matched[2]) if matched else None

    def has_several(self, given: Any) -> bool:
        return self.values is None and isinstance(given, list)

    def parameters(self, tenant: TenantId, given: Any) -> tuple[Any, ...]:
        return (given,) if self.values is None else self.values(tenant, given)


class Switch(msgspec.Struct, frozen=True):
    """A filter that is on or off, with a condition for either. A value in its place would leave PostgreSQL to guess how many
    have it. Those that have it on are few, and a part with an index of its own.
    """

    on: str
    off: str

    def sides(self, name: str) -> dict[str, Filter]:
        """The filters that it stands for."""
        return {
            _side(name, on=True): Filter(condition=self.on, values=_no_values, part=True),
            _side(name, on=False): Filter(condition=self.off, values=_no_values),
        }


def _side(name: str, *, on: bool) -> str:
    return f"{name}: {'on' if on else 'off'}"


def _no_values(_tenant: TenantId, _given: Any) -> tuple[Any, ...]:
    return ()


class FilterUse(msgspec.Struct, frozen=True):
    """A filter as a statement has it: with one value, or with several. There are as many places for these as the next power of
    two, so that there are few statements; none, where they are too many to be walked along one by one.
    """

    name: str
    several: bool = False
    places: int = 0


class Filters:
    """Those of one list, by name. Where they are used, they come as a mapping from name to what was given."""

    def __init__(self, filters: Mapping[str, str | Filter | Switch]) -> None:
        self.known: dict[str, Filter] = {}
        self._switches: set[str] = set()
        for name, given in filters.items():
            if isinstance(given, Switch):
                self._switches.add(name)
                self.known |= given.sides(name)
            else:
                self.known[name] = Filter(condition=given) if isinstance(given, str) else given

    def narrowing(self, given: Mapping[str, Any]) -> dict[str, Any]:
        named = {
            _side(name, on=value) if name in self._switches else name: value for name, value in given.items()
        }
        return {name: value for name, value in named.items() if self.known[name].narrows(value)}

    async def expanded(self, db: Database, tenant: TenantId, given: Mapping[str, Any]) -> dict[str, Any]:
        """With all values that the given ones stand for, in the order in which the list declares its filters."""
        expanded = {}
        for name in self.known:
            if name in given:
                expand = self.known[name].expand
                expanded[name] = given[name] if expand is None else await expand(db, tenant, given[name])
        return expanded

    def use(self, name: str, given: Any) -> FilterUse:
        """It depends on how many values there are, and not on which."""
        if not self.known[name].has_several(given):
            return FilterUse(name)
        return FilterUse(name, several=True, places=_places(len(given)))

    def condition(self, use: FilterUse) -> RowCondition:
        known = self.known[use.name]
        text = known.condition
        if use.several:
            # So many are looked up in a table of hashes rather than compared one by one.
            of_many = "= ANY ({}::text[])" if use.places else "IN (SELECT unnest({}::text[]))"
            text = text.replace("= {}", of_many)
        return RowCondition(
            text,
            column=known.column,
            bound=_any_of(known.range) if use.several and known.unique else known.range,
            words=known.words,
            several=use.several,
            places=use.places,
            type=known.type,
        )

    def leading_parameters(
        self, tenant: TenantId, uses: Iterable[FilterUse], given: Mapping[str, Any], *, candidates: bool
    ) -> list[Any]:
        """For those whose index is walked along."""
        found: list[Any] = []
        for use in uses:
            value = given[use.name]
            if use.several and not candidates:
                # Nothing is equal to NULL.
                found += [*value, *[None] * (use.places - len(value))]
            else:
                found += self.known[use.name].parameters(tenant, value)
        return found

    def held_parameters(
        self, tenant: TenantId, uses: Iterable[FilterUse], given: Mapping[str, Any]
    ) -> list[Any]:
        """For those that are held against rows."""
        found: list[Any] = []
        for use in uses:
            known = self.known[use.name]
            values = known.parameters(tenant, given[use.name])
            found += values[1:] if known.words is not None else values
        return found


def _any_of(bound: Bound | None) -> Bound | None:
    """The same for several values, each of which is that of a record at most."""
    return None if bound is None else Bound(bound.expression, "=", compared="ANY ({}::text[])")


def _places(values: int) -> int:
    """The next power of two."""
    return 0 if values > MANY else 1 << (values - 1).bit_length()
