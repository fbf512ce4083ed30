"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record


class NewRateItem(Model, kw_only=True):
    code: str
    """Unique within the schedule."""
    description: str
    unit: str
    rate_cents: int
    """Cents for one unit."""


class NewSchedule(Model, kw_only=True):
    name: str
    description: str | UnsetType | None = UNSET
    effective_from: int | UnsetType | None = UNSET
    """Unix seconds."""
    effective_to: int | UnsetType | None = UNSET
    """Unix seconds."""


class NewVersion(Model, kw_only=True):
    """The differences from the version before."""

    name: str | UnsetType | None = UNSET
    """That of the version before, when absent."""
    effective_from: int | UnsetType | None = UNSET
    """When it takes the place of the version before."""
    effective_to: int | UnsetType | None = UNSET
    """Unix seconds."""


class Publication(Model, kw_only=True):
    published_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class RateItem(Record, kw_only=True):
    id: str
    schedule_id: str
    code: str
    description: str
    unit: str
    rate_cents: int
    """Cents for one unit."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class RateItemChanges(Model, kw_only=True):
    code: str | UnsetType = UNSET
    """Unique within the schedule."""
    description: str | UnsetType = UNSET
    unit: str | UnsetType = UNSET
    rate_cents: int | UnsetType = UNSET
    """Cents for one unit."""


class ScheduleStatus(OpenEnum):
    DRAFT = "Draft"
    PUBLISHED = "Published"
    WITHDRAWN = "Withdrawn"


ScheduleStatusLike: TypeAlias = ScheduleStatus | Literal["Draft", "Published", "Withdrawn"]


class Schedule(Record, kw_only=True):
    id: str
    name: str
    description: str | None
    status: ScheduleStatus
    effective_from: int | None
    """The first second in which it holds."""
    effective_to: int | None
    """The first second in which it no longer holds."""
    item_count: int
    version: int
    """1, 2, 3 … of schedules that took each other's place."""
    supersedes: str | None
    """The version before."""
    superseded_by: str | None
    """The version that was published in its place."""
    published_by: str | None
    published_at: int | None
    """Unix seconds."""
    withdrawn_by: str | None
    withdrawn_at: int | None
    """Unix seconds."""
    withdrawn_reason: str | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class ScheduleChanges(Model, kw_only=True):
    name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    effective_from: int | UnsetType | None = UNSET
    """Unix seconds."""
    effective_to: int | UnsetType | None = UNSET
    """Unix seconds."""


class SorItemsSort(OpenEnum):
    CODE_DESCENDING = "-code"
    CREATED_DESCENDING = "-created"
    CODE = "code"
    CREATED = "created"


SorItemsSortLike: TypeAlias = SorItemsSort | Literal["-code", "-created", "code", "created"]


class SorSchedulesSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    NAME_DESCENDING = "-name"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    NAME = "name"
    UPDATED = "updated"


SorSchedulesSortLike: TypeAlias = (
    SorSchedulesSort | Literal["-created", "-name", "-updated", "created", "name", "updated"]
)


class Withdrawal(Model, kw_only=True):
    reason: str | UnsetType | None = UNSET
    withdrawn_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""
