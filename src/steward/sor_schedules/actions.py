from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.versions import Precondition
from steward.kit.records import many_records, records
from steward.kit.security.caller import Caller, TenantId
from steward.sor_schedules import queries, rules
from steward.sor_schedules.events import CREATED, DELETED, SUPERSEDED, UPDATED
from steward.sor_schedules.items import queries as items
from steward.sor_schedules.items.events import CREATED as ITEM_CREATED
from steward.sor_schedules.items.rules import copied
from steward.sor_schedules.model import (
    NewSchedule,
    NewVersion,
    Publication,
    Schedule,
    ScheduleChanges,
    Withdrawal,
)
from steward.sor_schedules.rules import MOVES
from steward.users import queries as users

_BY_CALLER, _AS_BEFORE, _WITHOUT_REASON = Publication(), NewVersion(), Withdrawal()


async def create(db: Database, who: Caller, new: NewSchedule, *, now: int) -> Schedule:
    draft = rules.new_schedule(new, now)
    return await records.create(db, queries.SCHEDULES, who.tenant, draft, events=(CREATED,), now=now)


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
        events=records.always(UPDATED),
        precondition=precondition,
        now=now,
    )


async def publish(
    db: Database,
    who: Caller,
    schedule_id: str,
    body: Publication = _BY_CALLER,
    *,
    precondition: Precondition,
    now: int,
) -> Schedule:
    """The version before ends in the same transaction: in no second do both hold, or neither that should."""
    by = await users.acting_person(db, who, body.published_by, "publishedBy")
    async with db.transaction() as tx:
        schedule = await records.move(
            tx,
            queries.SCHEDULES,
            MOVES,
            who.tenant,
            schedule_id,
            "publish",
            then=lambda schedule: rules.published(schedule, by=by, now=now),
            precondition=precondition,
            now=now,
        )
        if schedule.supersedes is not None:
            await records.change(
                tx,
                queries.SCHEDULES,
                who.tenant,
                schedule.supersedes,
                to=lambda before: rules.superseded(before, schedule),
                events=records.always(SUPERSEDED),
                now=now,
            )
        return schedule


async def supersede(
    db: Database,
    who: Caller,
    schedule_id: str,
    new: NewVersion = _AS_BEFORE,
    *,
    precondition: Precondition,
    now: int,
) -> Schedule:
    async with db.transaction() as tx:
        before = await records.lock(tx, queries.SCHEDULES, who.tenant, schedule_id, precondition)
        draft = rules.next_version(before, new, now)
        await records.create(tx, queries.SCHEDULES, who.tenant, draft, events=(CREATED,), now=now)
        rates = (copied(item, draft.id, now) for item in await items.all_of(tx, who.tenant, before.id))
        await many_records.create(tx, items.ITEMS, who.tenant, rates, events=(ITEM_CREATED,), now=now)
        return draft


async def withdraw(
    db: Database,
    who: Caller,
    schedule_id: str,
    body: Withdrawal = _WITHOUT_REASON,
    *,
    precondition: Precondition,
    now: int,
) -> Schedule:
    by = await users.acting_person(db, who, body.withdrawn_by, "withdrawnBy")
    return await records.move(
        db,
        queries.SCHEDULES,
        MOVES,
        who.tenant,
        schedule_id,
        "withdraw",
        then=lambda schedule: rules.withdrawn(schedule, body.reason, by=by, now=now),
        precondition=precondition,
        now=now,
    )


async def delete(
    db: Database, who: Caller, schedule_id: str, *, precondition: Precondition, now: int
) -> None:
    """Its items go with it, without an event for each."""
    await records.delete(
        db,
        queries.SCHEDULES,
        who.tenant,
        schedule_id,
        check_deletable=rules.check_deletable,
        event=DELETED,
        precondition=precondition,
        now=now,
    )


async def lock_draft(tx: Transaction, tenant: TenantId, schedule_id: str) -> Schedule:
    """Whoever changes items holds their schedule: it can't be published meanwhile, and its count stays exact."""
    schedule = await records.lock(tx, queries.SCHEDULES, tenant, schedule_id)
    return rules.require_draft(schedule, "its items can be changed")


async def count_items(tx: Transaction, tenant: TenantId, schedule: Schedule, more: int, *, now: int) -> None:
    counted = rules.with_more_items(schedule, more)
    told = records.always(UPDATED)
    await records.write(tx, queries.SCHEDULES, tenant, schedule, counted, events=told, now=now)
