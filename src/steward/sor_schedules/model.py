"""Schedules of rates.

A draft can change; published rates never do: a next version replaces them, or the schedule is withdrawn.
"""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain.fields import ActingPerson, Body, Name, Record, Seconds, Text
from steward.kit.domain.list_query import Several, SortedPageQuery, UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of


class ScheduleStatus(StrEnum):
    DRAFT = "Draft"
    PUBLISHED = "Published"
    WITHDRAWN = "Withdrawn"


class Schedule(Record, frozen=True):
    id: str
    name: str
    description: str | None
    status: ScheduleStatus
    effective_from: Annotated[Seconds | None, Meta(description="The first second in which it holds.")]
    effective_to: Annotated[Seconds | None, Meta(description="The first second in which it no longer holds.")]
    item_count: int
    version: Annotated[int, Meta(description="1, 2, 3 … of schedules that took each other's place.")]
    supersedes: Annotated[str | None, Meta(description="The version before.")]
    superseded_by: Annotated[str | None, Meta(description="The version that was published in its place.")]
    published_by: str | None
    published_at: Seconds | None
    withdrawn_by: str | None
    withdrawn_at: Seconds | None
    withdrawn_reason: str | None
    created: Seconds
    updated: Seconds


class NewSchedule(Body, frozen=True):
    name: Name
    description: Text | None = None
    effective_from: Seconds | None = None
    effective_to: Seconds | None = None


@changes_of(NewSchedule)
class ScheduleChanges(Body, frozen=True):
    pass


class NewVersion(Body, frozen=True):
    """The differences from the version before."""

    name: Annotated[Name | None, Meta(description="That of the version before, when absent.")] = None
    effective_from: Annotated[
        Seconds | None, Meta(description="When it takes the place of the version before.")
    ] = None
    effective_to: Seconds | None = None


class Publication(Body, frozen=True):
    published_by: ActingPerson = None


class Withdrawal(Body, frozen=True):
    reason: Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"\S")] | None = None
    withdrawn_by: ActingPerson = None


class ScheduleQuery(SortedPageQuery, frozen=True):
    status: Several[ScheduleStatus] | None = None
    effective_at: Annotated[
        Seconds | None, Meta(description="Only schedules that hold, or held, in this second.")
    ] = None
    updated_after: UpdatedAfter = None
    q: Annotated[str | None, Meta(description="Words to be found in the name.")] = None


CONSTRAINTS: Constraints = {
    "sor_schedules_before": Reference("supersedes", "schedule", "next versions"),
    "sor_schedules_next_unique": Taken("This schedule has a next version already."),
}

EXAMPLE = example_of(
    Schedule,
    id="sch_00064a1b2c3d4e5f60718293a4b5",
    name="Building fabric 2026",
    description="Rates agreed with the framework contractor.",
    status=ScheduleStatus.PUBLISHED,
    effective_from=1767225600,
    effective_to=1798761600,
    item_count=1,
    version=1,
    published_by="usr_00064a1b2c3d4e5f60718293a4b5",
    published_at=1767139200,
    created=1767052800,
    updated=1767139200,
)
