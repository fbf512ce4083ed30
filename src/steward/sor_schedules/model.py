"""Schedules of rates. A schedule is written as a draft; published, it never changes again."""

from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from steward.kit.db.pagination import Several, SortedPageQuery, UpdatedAfter
from steward.kit.domain.fields import Body, Name, Record, Seconds, Text


class ScheduleStatus(StrEnum):
    DRAFT = "Draft"
    PUBLISHED = "Published"


class Schedule(Record, frozen=True):
    id: str
    name: str
    description: str | None
    status: ScheduleStatus
    effective_from: Annotated[Seconds | None, Meta(description="The first second in which it holds.")]
    effective_to: Annotated[Seconds | None, Meta(description="The first second in which it no longer holds.")]
    item_count: int
    published_by: str | None
    published_at: Seconds | None
    created: Seconds
    updated: Seconds


class NewSchedule(Body, frozen=True):
    name: Name
    description: Text | None = None
    effective_from: Seconds | None = None
    effective_to: Seconds | None = None


class ScheduleChanges(Body, frozen=True):
    name: Name | UnsetType = UNSET
    description: Text | UnsetType | None = UNSET
    effective_from: Seconds | UnsetType | None = UNSET
    effective_to: Seconds | UnsetType | None = UNSET


class ScheduleQuery(SortedPageQuery, frozen=True):
    status: Several[ScheduleStatus] | None = None
    effective_at: Annotated[
        Seconds | None, Meta(description="Only published schedules that hold in this second.")
    ] = None
    updated_after: UpdatedAfter = None
    q: Annotated[str | None, Meta(description="Words to be found in the name.")] = None


EXAMPLE = Schedule(
    id="sch_00064a1b2c3d4e5f60718293a4b5",
    name="Building fabric 2026",
    description="Rates agreed with the framework contractor.",
    status=ScheduleStatus.PUBLISHED,
    effective_from=1767225600,
    effective_to=1798761600,
    item_count=1,
    published_by="usr_00064a1b2c3d4e5f60718293a4b5",
    published_at=1767139200,
    created=1767052800,
    updated=1767139200,
)
