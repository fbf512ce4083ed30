from collections.abc import Iterable

from msgspec.structs import replace

from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Conflict, ErrorDetail, Invalid, refuse_faults
from steward.kit.domain.shared_fields import made_from, new_record
from steward.kit.records.moves import Move, MoveDetails, Moves
from steward.sor_schedules.events import PUBLISHED, WITHDRAWN
from steward.sor_schedules.model import NewSchedule, NewVersion, Schedule, ScheduleChanges, ScheduleStatus

_DRAFT, _PUBLISHED, _WITHDRAWN = ScheduleStatus


def published(schedule: Schedule, _details: MoveDetails) -> Schedule:
    refuse_faults(_missing(schedule))
    return schedule


def _missing(schedule: Schedule) -> Iterable[ErrorDetail]:
    start, end = schedule.effective_from, schedule.effective_to
    if schedule.item_count == 0:
        yield ErrorDetail("items", "a schedule needs at least one item before it is published")
    if start is None:
        yield ErrorDetail("effectiveFrom", "must be set before the schedule is published")
    if end is None:
        yield ErrorDetail("effectiveTo", "must be set before the schedule is published")
    if start is not None and end is not None and start >= end:
        yield ErrorDetail("effectiveTo", "must lie after effectiveFrom before the schedule is published")


def withdrawn(schedule: Schedule, details: MoveDetails) -> Schedule:
    return _ended(schedule, details.now)


def _ended(schedule: Schedule, at: int) -> Schedule:
    start, end = schedule.effective_from or 0, schedule.effective_to
    ends = at if end is None else min(at, end)
    return replace(schedule, effective_to=max(start, ends))


MOVES: Moves[Schedule, MoveDetails] = Moves(
    "schedule",
    [
        Move("publish", (_DRAFT,), _PUBLISHED, PUBLISHED, stamp="published", then=published),
        # Makes a draft of the next version; its publication ends this one.
        Move("supersede", (_PUBLISHED, _WITHDRAWN), None),
        Move("withdraw", (_PUBLISHED,), _WITHDRAWN, WITHDRAWN, stamp="withdrawn", then=withdrawn),
    ],
)


def new_schedule(new: NewSchedule, now: int) -> Schedule:
    _check_period(new.effective_from, new.effective_to)
    return new_record(Schedule, "sch", new, now, status=ScheduleStatus.DRAFT, item_count=0, version=1)


def next_version(schedule: Schedule, new: NewVersion, now: int) -> Schedule:
    """A draft with the same rates, which still have to be copied."""
    MOVES.require(schedule, "supersede")
    own = made_from(NewSchedule, new, name=new.name or schedule.name, description=schedule.description)
    return replace(
        new_schedule(own, now),
        item_count=schedule.item_count,
        version=schedule.version + 1,
        supersedes=schedule.id,
    )


def superseded(schedule: Schedule, by: Schedule) -> Schedule:
    """Ends where the next version begins, and never later than before.

    One that would not have begun by then never takes effect.
    """
    assert by.effective_from is not None  # noqa: S101 (nothing is published without it)
    return replace(_ended(schedule, by.effective_from), superseded_by=by.id)


def changed(schedule: Schedule, changes: ScheduleChanges) -> Schedule:
    new = apply(require_draft(schedule, "it can be changed"), changes)
    _check_period(new.effective_from, new.effective_to)
    return new


def _check_period(start: int | None, end: int | None) -> None:
    """A draft may still lack either."""
    if start is not None and end is not None and end < start:
        raise Invalid("effectiveTo", "must be later than effectiveFrom")


def check_deletable(schedule: Schedule) -> None:
    require_draft(schedule, "it can be deleted")


def with_more_items(schedule: Schedule, more: int) -> Schedule:
    return replace(schedule, item_count=schedule.item_count + more)


def require_draft(schedule: Schedule, what: str) -> Schedule:
    """Others rely on a published schedule: a new price is a new version."""
    if schedule.status is not ScheduleStatus.DRAFT:
        raise Conflict(f"This schedule is {schedule.status}; {what} only while it is Draft.")
    return schedule


def in_effect(schedule: Schedule, at: int) -> bool:
    """Half-open, so that of two consecutive versions exactly one is in effect in every second."""
    return (
        schedule.status is not ScheduleStatus.DRAFT
        and schedule.effective_from is not None
        and schedule.effective_to is not None
        and schedule.effective_from <= at < schedule.effective_to
    )
