from msgspec.structs import replace

from steward.kit.db import records
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller, TenantId
from steward.sor_schedules import queries
from steward.sor_schedules.model import (
    MOVES,
    NewSchedule,
    Schedule,
    ScheduleChanges,
    ScheduleStatus,
    published,
    require_draft,
)


async def create(db: Database, who: Caller, new: NewSchedule, *, now: int) -> Schedule:
    schedule = Schedule(
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
    return await records.create(db, queries.SCHEDULES, who.tenant, schedule, now=now)


async def change(
    db: Database,
    who: Caller,
    schedule_id: str,
    changes: ScheduleChanges,
    *,
    precondition: Precondition,
    now: int,
) -> Schedule:
    return await records.change(
        db,
        queries.SCHEDULES,
        who.tenant,
        schedule_id,
        to=lambda old: apply(require_draft(old, "it can be changed"), changes),
        precondition=precondition,
        now=now,
    )


async def publish(
    db: Database, who: Caller, schedule_id: str, *, precondition: Precondition, now: int
) -> Schedule:
    return await records.move(
        db,
        queries.SCHEDULES,
        MOVES,
        who.tenant,
        schedule_id,
        "publish",
        then=lambda schedule: published(schedule, by=who.user, now=now),
        precondition=precondition,
        now=now,
    )


async def delete(
    db: Database, who: Caller, schedule_id: str, *, precondition: Precondition, now: int
) -> None:
    """Its items go with it."""

    def check_deletable(schedule: Schedule) -> None:
        require_draft(schedule, "it can be deleted")

    await records.delete(
        db,
        queries.SCHEDULES,
        who.tenant,
        schedule_id,
        check_deletable=check_deletable,
        precondition=precondition,
        now=now,
    )


async def lock_draft(tx: Transaction, tenant: TenantId, schedule_id: str) -> Schedule:
    """Whoever changes items holds their schedule: it can't be published meanwhile, and its count stays exact."""
    schedule = await records.lock(tx, queries.SCHEDULES, tenant, schedule_id)
    return require_draft(schedule, "its items can be changed")


async def count_items(tx: Transaction, tenant: TenantId, schedule: Schedule, more: int, *, now: int) -> None:
    counted = replace(schedule, item_count=schedule.item_count + more)
    await records.write(tx, queries.SCHEDULES, tenant, schedule, counted, now=now)
