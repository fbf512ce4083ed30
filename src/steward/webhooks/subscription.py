"""A webhook's subscription: event types, alone or in groups, and a filter over the events' records."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from steward.kit.domain.fields import Body, Identifier, Priority
from steward.kit.domain.problems import Invalid
from steward.kit.events.patterns import require_known
from steward.kit.events.visibility import Held, visible_types
from steward.kit.security.permissions import ALL_PERMISSIONS

# Goes to the webhook under test, whatever its subscription.
TEST_TYPE = "webhook.test"

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
    """An event matches if it has each of the named attributes, with one of the given values."""

    location_id: Ids | UnsetType = UNSET
    asset_id: Ids | UnsetType = UNSET
    asset_type_id: Ids | UnsetType = UNSET
    priority: Annotated[list[Priority], Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    resource_id: Ids | UnsetType = UNSET


class Filtering(Body, frozen=True):
    """`include` keeps what matches, `exclude` everything else."""

    mode: FilterMode
    criteria: Criteria
    include_descendants: Annotated[
        bool, Meta(description="Whether a location stands for everything that lies in it, too.")
    ] = True


def subscribed_types(patterns: Iterable[str], held: Held = ALL_PERMISSIONS) -> list[str]:
    """The types of these patterns that may be read with these permissions; 403 for a pattern without any."""
    return [name for name in visible_types(patterns, held) if name != TEST_TYPE]


def require_types(field: str, given: Iterable[str]) -> None:
    require_known((f"{field}[{place}]", pattern) for place, pattern in enumerate(given))


def require_criteria(filtering: Filtering | UnsetType | None) -> None:
    """422 for a filter without a criterion: it would match everything or nothing."""
    if isinstance(filtering, Filtering) and filtering.criteria == Criteria():
        raise Invalid("filtering.criteria", "must name at least one criterion")
