"""What a webhook wants to hear: event types, alone or in groups, and a filter over what the events are about."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from steward.kit.domain.fields import Body, Identifier, Priority
from steward.kit.domain.problems import Detail, Invalid
from steward.kit.events import event_types as events
from steward.webhooks.events import TEST

EVERYTHING = "*"
_GROUP = ".*"

Pattern = Annotated[str, Meta(min_length=1, max_length=60, examples=["workorder.*"])]
Patterns = Annotated[
    list[Pattern],
    Meta(
        description="Event types, groups such as `asset.*`, or `*` for all; see `/v2/event-types`.",
        min_length=1,
        max_length=100,
    ),
]
Ids = Annotated[list[Identifier], Meta(min_length=1, max_length=100)]


class FilterMode(StrEnum):
    INCLUDE = "include"
    EXCLUDE = "exclude"


class Criteria(Body, frozen=True):
    """An event matches when it has each of the named attributes, with one of the values given for it."""

    location_id: Ids | UnsetType = UNSET
    asset_id: Ids | UnsetType = UNSET
    asset_type_id: Ids | UnsetType = UNSET
    priority: Annotated[list[Priority], Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    resource_id: Ids | UnsetType = UNSET


class Filtering(Body, frozen=True):
    """`include` lets through what matches, `exclude` everything else."""

    mode: FilterMode
    criteria: Criteria


def matches(pattern: str, name: str) -> bool:
    if pattern.endswith(_GROUP):
        return name.startswith(pattern.removesuffix("*"))
    return pattern in {EVERYTHING, name}


def expand(patterns: Iterable[str]) -> list[str]:
    """The exact types behind these patterns. A test goes to the webhook that is tested, whatever it wants to hear."""
    wanted = list(patterns)
    return sorted(
        name for name in events.ALL if name != TEST.name and any(matches(pattern, name) for pattern in wanted)
    )


def groups() -> list[str]:
    """Every pattern that stands for more types than one: what a new type may fall under."""
    names = [name.split(".") for name in events.ALL]
    return [
        EVERYTHING,
        *sorted({".".join(parts[:n]) + _GROUP for parts in names for n in range(1, len(parts))}),
    ]


def require_known(field: str, patterns: Iterable[str]) -> None:
    """422 that names every pattern which stands for nothing, and lists what there is."""
    known = {*events.ALL, *groups()}
    unknown = [(place, given) for place, given in enumerate(patterns) if given not in known]
    if unknown:
        valid = ", ".join([*groups(), *sorted(events.ALL)])
        raise Invalid.of(
            Detail(f"{field}[{place}]", f"{given!r} is not an event type; valid are {valid}")
            for place, given in unknown
        )


def require_criteria(filtering: Filtering | UnsetType | None) -> None:
    """422 for a filter without a criterion: it would let through everything or nothing."""
    if isinstance(filtering, Filtering) and filtering.criteria == Criteria():
        raise Invalid("filtering.criteria", "must name at least one criterion")
