from steward.kit.db import records
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller, TenantId
from steward.sor_schedules import queries, rules
from steward.sor_schedules.model import NewSchedule, Schedule, ScheduleChanges
from steward.sor_schedules.rules import MOVES


async def create(db: Database, who: Caller, new: NewSchedule, *, now: int) -> Schedule:
    return await records.create(db, queries.SCHEDULES, who.tenant, rules.new_schedule(new, now), now=now)


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
        to=lambda old: rules.changed(old, changes),
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
        then=lambda schedule: rules.published(schedule, by=who.user, now=now),
        precondition=precondition,
        now=now,
    )


async def delete(
    db: Database, who: Caller, schedule_id: str, *, precondition: Precondition, now: int
) -> None:
    """Its items go with it."""
    await records.delete(
        db,
        queries.SCHEDULES,
        who.tenant,
        schedule_id,
        check_deletable=rules.check_deletable,
        precondition=precondition,
        now=now,
    )


async def lock_draft(tx: Transaction, tenant: TenantId, schedule_id: str) -> Schedule:
    """Whoever changes items holds their schedule: it can't be published meanwhile, and its count stays exact."""
    schedule = await records.lock(tx, queries.SCHEDULES, tenant, schedule_id)
    return rules.require_draft(schedule, "its items can be changed")


async def count_items(tx: Transaction, tenant: TenantId, schedule: Schedule, more: int, *, now: int) -> None:
    counted = rules.with_more_items(schedule, more)
    await records.write(tx, queries.SCHEDULES, tenant, schedule, counted, now=now)
