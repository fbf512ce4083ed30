"""Schedules of rates and their items. A schedule is written as a draft; published, it never changes again."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from steward.kit.db.constraints import Constraints, Taken
from steward.kit.db.pagination import PageQuery
from steward.kit.domain.csv_rows import Rows
from steward.kit.domain.fields import Body, Name, Record, Seconds, Text
from steward.kit.domain.moves import Move, Moves
from steward.kit.domain.problems import Conflict, Detail, Invalid
from steward.kit.events.event_types import event_type

MAX_RATE_CENTS = 10**12
_CENTS = re.compile(r"[0-9]{1,13}")


class ScheduleStatus(StrEnum):
    DRAFT = "Draft"
    PUBLISHED = "Published"


Code = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^\S(.*\S)?$", examples=["PLB-010"])]
ItemText = Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"\S")]
Unit = Annotated[str, Meta(min_length=1, max_length=50, pattern=r"\S", examples=["m2"])]
Rate = Annotated[int, Meta(ge=0, le=MAX_RATE_CENTS, description="Cents for one unit.", examples=[4250])]


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


class Item(Record, frozen=True):
    id: str
    schedule_id: str
    code: str
    description: str
    unit: str
    rate_cents: Rate
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


class ScheduleQuery(PageQuery, frozen=True):
    status: ScheduleStatus | None = None
    effective_at: Annotated[
        Seconds | None, Meta(description="Only published schedules that hold in this second.")
    ] = None
    updated_after: Seconds | None = None
    q: Annotated[str | None, Meta(description="Words to be found in the name.")] = None


class NewItem(Body, frozen=True):
    code: Annotated[Code, Meta(description="Unique within the schedule.")]
    description: ItemText
    unit: Unit
    rate_cents: Rate


class ItemRow(Body, frozen=True):
    """A line of an imported file. Cents are checked as text: read as a number, 12.00 would pass for 12 cents."""

    code: Code
    description: ItemText
    unit: Unit
    rate_cents: str


class ItemChanges(Body, frozen=True):
    code: Code | UnsetType = UNSET
    description: ItemText | UnsetType = UNSET
    unit: Unit | UnsetType = UNSET
    rate_cents: Rate | UnsetType = UNSET


class ItemQuery(PageQuery, frozen=True):
    code: Code | None = None
    q: Annotated[str | None, Meta(description="Words to be found in code or description.")] = None


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
ITEM_EXAMPLE = Item(
    id="soi_00064a1b2c3d4e5f60718293a4b5",
    schedule_id=EXAMPLE.id,
    code="PLB-010",
    description="Renew isolating valve, 15 mm",
    unit="each",
    rate_cents=4250,
    created=1767052800,
    updated=1767052800,
)

PUBLISHED = event_type(
    "sor.schedule.published",
    "Schedule published and active.",
    EXAMPLE,
    "id name status effective_from effective_to item_count published_by published_at created",
    previous="status",
    was={"status": ScheduleStatus.DRAFT},
)
MOVES = Moves("schedule", [Move("publish", (ScheduleStatus.DRAFT,), ScheduleStatus.PUBLISHED, PUBLISHED)])

CODE_TAKEN = "An item with this code exists already in this schedule."
CONSTRAINTS: Constraints = {"sor_items_code_unique": Taken(CODE_TAKEN)}


def require_draft(schedule: Schedule, what: str) -> Schedule:
    """What a published schedule says has been relied on: a new price is a new schedule."""
    if schedule.status is not ScheduleStatus.DRAFT:
        raise Conflict(f"This schedule is {schedule.status}; {what} only while it is Draft.")
    return schedule


def published(schedule: Schedule, *, by: str | None, now: int) -> Schedule:
    if lacking := list(_lacking(schedule)):
        raise Invalid.of(lacking)
    return replace(schedule, published_by=by, published_at=now)


def _lacking(schedule: Schedule) -> Iterable[Detail]:
    start, end = schedule.effective_from, schedule.effective_to
    if schedule.item_count == 0:
        yield Detail("items", "a schedule needs at least one item before it is published")
    if start is None:
        yield Detail("effectiveFrom", "must be set before the schedule is published")
    if end is None:
        yield Detail("effectiveTo", "must be set before the schedule is published")
    if start is not None and end is not None and start >= end:
        yield Detail("effectiveTo", "must lie after effectiveFrom before the schedule is published")


def in_effect(schedule: Schedule, at: int) -> bool:
    """Half-open, so that of two schedules that follow on each other exactly one holds in every second."""
    return (
        schedule.status is ScheduleStatus.PUBLISHED
        and schedule.effective_from is not None
        and schedule.effective_to is not None
        and schedule.effective_from <= at < schedule.effective_to
    )


def refuse_bad_rates(rows: Rows[ItemRow]) -> None:
    for line, row in rows.by_line.items():
        if not _CENTS.fullmatch(row.rate_cents) or int(row.rate_cents) > MAX_RATE_CENTS:
            rows.refuse(line, "rateCents", f"must be a whole number of cents, {MAX_RATE_CENTS} at most")


def item_of(row: ItemRow) -> NewItem:
    return NewItem(code=row.code, description=row.description, unit=row.unit, rate_cents=int(row.rate_cents))


def refuse_repeated_codes(rows: Rows[ItemRow], taken: set[str]) -> None:
    """`taken` are codes that the schedule holds already."""
    first_line: dict[str, int] = {}
    for line, item in rows.by_line.items():
        if item.code in taken:
            rows.refuse(line, "code", f"the schedule has an item {item.code} already")
        elif item.code in first_line:
            rows.refuse(line, "code", f"{item.code} stands in line {first_line[item.code]} already")
        else:
            first_line[item.code] = line
