"""The filters that a list declares: SQL conditions, and how the value that a caller gives becomes their parameters."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from steward.kit.db import search
from steward.kit.db.transaction import Database
from steward.kit.security.caller import TenantId

# Up to so many values of one filter are scanned for one by one.
MAX_SCANNED_VALUES = 32

Expand = Callable[[Database, TenantId, Any], Awaitable[list[str]]]

_EQUAL = re.compile(r"([\w.]+) = {}")
_BOUND = re.compile(r"(.+) (>=|>|<=|<) {}")
_UNIQUE = re.compile(r"(.+) = (.*{}.*)")


class Bound(msgspec.Struct, frozen=True):
    """The rows that an index over `expression` finds: those less or greater than the filter's parameter number `value`, or those with
    NULL. `compared` is the SQL around that parameter."""

    expression: str
    sign: str
    value: int = 0
    compared: str = "{}"

    def condition(self, parameters: list[str]) -> str:
        if self.sign == "IS NULL":
            return f"{self.expression} IS NULL"
        return f"{self.expression} {self.sign} {self.compared.format(parameters[self.value])}"


class FilterUse(msgspec.Struct, frozen=True):
    """A filter as one statement has it: with one value or with several. Several values get as many parameters as the next power of two,
    so that there are few statements; none, if they are too many to be scanned for one by one.
    """

    name: str
    several: bool = False
    parameters: int = 0


class Filter(msgspec.Struct, frozen=True):
    """A condition with `{}` for each parameter, and `values`, which makes the parameters from the given value.

    The condition says which index finds the rows: `column = {}` has one over the tenant, the column and the identifier, and takes
    several values if there is no `values`; `expression >= {}` and the like have one over the tenant and the expression. Otherwise it is
    declared: by a `bound`; by `part`, for a partial index over tenant and identifier with exactly this condition; by `words`, the
    condition for the search index; or by `indexed=False` if there is none, so that rows are only rechecked. A `unique` filter finds one
    record at most. `type` is that of the column, `cost` the number of database pages that a recheck reads.
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
    # All values that the given one stands for.
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

    def use(self, name: str, given: Any) -> FilterUse:
        """It depends on the number of values, not on the values."""
        if not self.has_several(given):
            return FilterUse(name)
        many = len(given) > MAX_SCANNED_VALUES
        return FilterUse(name, several=True, parameters=0 if many else 1 << (len(given) - 1).bit_length())

    def text(self, use: FilterUse) -> str:
        if not use.several:
            return self.condition
        # More values are looked up in a hash table instead of being compared one by one.
        of_many = "= ANY ({}::text[])" if use.parameters else "IN (SELECT unnest({}::text[]))"
        return self.condition.replace("= {}", of_many)

    def index_range(self, use: FilterUse) -> Bound | None:
        found = self.range
        if found is not None and use.several and self.unique:
            return Bound(found.expression, "=", compared="ANY ({}::text[])")
        return found

    def parameters(self, tenant: TenantId, given: Any) -> tuple[Any, ...]:
        return (given,) if self.values is None else self.values(tenant, given)


# `q` of every table with the search columns.
SEARCH = Filter(search.CONDITION, search.query, words=search.INDEX_CONDITION, narrows=search.narrows)


class Switch(msgspec.Struct, frozen=True):
    """A filter that is on or off, with a condition for each, since PostgreSQL can't guess how many rows have a value that is a parameter.
    Few rows are on, and these have a partial index.
    """

    on: str
    off: str


def _side(name: str, *, on: bool) -> str:
    return f"{name}: {'on' if on else 'off'}"


def _no_parameters(_tenant: TenantId, _given: Any) -> tuple[Any, ...]:
    return ()


class Filters:
    """Those of one list, by name, the most selective first. What a caller gives is a mapping from name to value."""

    def __init__(self, declared: Mapping[str, str | Filter | Switch]) -> None:
        self.known: dict[str, Filter] = {}
        self._switches: set[str] = set()
        for name, given in declared.items():
            if isinstance(given, Switch):
                self._switches.add(name)
                self.known[_side(name, on=True)] = Filter(given.on, _no_parameters, part=True)
                self.known[_side(name, on=False)] = Filter(given.off, _no_parameters)
            else:
                self.known[name] = Filter(given) if isinstance(given, str) else given

    def narrowing(self, given: Mapping[str, Any]) -> dict[str, Any]:
        named = {
            _side(name, on=value) if name in self._switches else name: value for name, value in given.items()
        }
        return {name: value for name, value in named.items() if self.known[name].narrows(value)}

    def uses(self, given: Mapping[str, Any]) -> dict[str, FilterUse]:
        return {name: self.known[name].use(name, value) for name, value in given.items()}
