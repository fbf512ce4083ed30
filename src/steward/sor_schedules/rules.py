from collections.abc import Iterable

from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.moves import Move, Moves
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Conflict, Detail, Invalid
from steward.sor_schedules.events import PUBLISHED
from steward.sor_schedules.model import NewSchedule, Schedule, ScheduleChanges, ScheduleStatus

MOVES = Moves("schedule", [Move("publish", (ScheduleStatus.DRAFT,), ScheduleStatus.PUBLISHED, PUBLISHED)])


def new_schedule(new: NewSchedule, now: int) -> Schedule:
    return Schedule(
        id=new_id("sch"),
        name=new.name,
        description=new.description,
        status=ScheduleStatus.DRAFT,
        effective_from=new.effective_from,
        effective_to=new.effective_to,
        item_count=0,
        published_by=None,
        published_at=None,
        created=now,
        updated=now,
    )


def changed(schedule: Schedule, changes: ScheduleChanges) -> Schedule:
    return apply(require_draft(schedule, "it can be changed"), changes)


def check_deletable(schedule: Schedule) -> None:
    require_draft(schedule, "it can be deleted")


def with_more_items(schedule: Schedule, more: int) -> Schedule:
    return replace(schedule, item_count=schedule.item_count + more)


def require_draft(schedule: Schedule, what: str) -> Schedule:
    """What a published schedule says has been relied on: a new price is a new schedule."""
    if schedule.status is not ScheduleStatus.DRAFT:
        raise Conflict(f"This schedule is {schedule.status}; {what} only while it is Draft.")
    return schedule


def published(schedule: Schedule, *, by: str | None, now: int) -> Schedule:
    if missing := list(_missing(schedule)):
        raise Invalid.of(missing)
    return replace(schedule, published_by=by, published_at=now)


def _missing(schedule: Schedule) -> Iterable[Detail]:
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
