"""The query parameters of a list: paging, order and filters."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, cast

import msgspec

from steward.kit.domain.fields import Seconds

MAX_VALUES = 50

T = TypeVar("T")
# Of a filter: one value, or several with commas in between, any of which will do.
Several = Annotated[list[T], msgspec.Meta(min_length=1, max_length=MAX_VALUES)]


class FilterQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Query parameters that narrow a list."""

    # Further parameters that aren't filters; and which of all these exports have, too.
    not_filters: ClassVar[frozenset[str]] = frozenset()
    exported: ClassVar[frozenset[str]] = frozenset({"sort"})

    def filters(self) -> dict[str, Any]:
        """The given filters, by name."""
        own = own_parameters(type(self))
        given = {name: value for name in own if (value := getattr(self, name)) is not None}
        return self.as_filters({name: _plain(value) for name, value in given.items()})

    def narrows(self) -> bool:
        """Whether any parameter differs from its default."""
        return any(getattr(self, name) != field.default for name, field in own_parameters(type(self)).items())

    @staticmethod
    def as_filters(given: dict[str, Any]) -> dict[str, Any]:
        """The filters for the given parameters, by name; by default each parameter is one.

        Exports have the same, in a class of their own.
        """
        return given


@cache
def own_parameters(query: type[FilterQuery]) -> dict[str, msgspec.structs.FieldInfo]:
    """The filters of a list, by name."""
    without = PAGING | query.not_filters
    return {field.name: field for field in msgspec.structs.fields(query) if field.name not in without}


def _plain(value: Any) -> Any:
    """Several values are sorted, so that their order makes no difference."""
    if not isinstance(value, list):
        return value
    values = sorted(set(value))
    return values[0] if len(values) == 1 else values


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

    sort: Several[str] | None = None
    # Former names of values that are still accepted, by parameter.
    former_values: ClassVar[Mapping[str, Mapping[str, str]]] = {}


@cache
def _sort_values(noun: str, values: tuple[str, ...]) -> type[StrEnum]:
    members = {value.replace("-", "descending_"): value for value in values}
    return cast(type[StrEnum], StrEnum(f"{noun}Sort", members))


@cache
def sorted_by(
    query: type[PageQuery], noun: str, names: tuple[str, ...], former: tuple[tuple[str, str], ...]
) -> Any:
    """The query with `sort` limited to these fields; `noun` names their enumeration in the OpenAPI document."""
    values = (*names, *(f"-{name}" for name in names))
    described = msgspec.Meta(
        description="Fields to sort by, separated by commas, each ascending, or with `-` in front of it descending. Newest first, when "
        "absent. Names are sorted without regard to case and accents.",
        min_length=1,
        max_length=len(names),
        examples=[[values[0]]],
    )
    value = _sort_values(noun, values)
    kind = Annotated[list[value], described]  # type: ignore[valid-type]
    return msgspec.defstruct(
        query.__name__,
        [("sort", kind | None, None)],
        bases=(query,),
        namespace={"former_values": {"sort": {s + old: s + new for old, new in former for s in ("", "-")}}},
        frozen=True,
        kw_only=True,
    )


UpdatedAfter = Annotated[
    Seconds | None,
    msgspec.Meta(
        description="Changed in this second or later. For a coarse window, such as changes since yesterday. A sync that must "
        "miss nothing follows the change feed (`/events?order=asc`)."
    ),
]


Archived = Annotated[
    bool,
    msgspec.Meta(description="With `true` those that are archived and no others, else those that are not."),
]


# Parameters of paging and order, which aren't filters.
PAGING = frozenset(SortedPageQuery.__struct_fields__)
