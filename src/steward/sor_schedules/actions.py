from steward.kit.records import many_records, records
from steward.kit.records.context import Context, Target
from steward.kit.records.moves import MoveDetails
from steward.kit.records.verbs import changing, creating, deleting
from steward.sor_schedules import queries, rules
from steward.sor_schedules.events import CREATED, DELETED, SUPERSEDED, UPDATED
from steward.sor_schedules.items import queries as items
from steward.sor_schedules.items.events import CREATED as ITEM_CREATED
from steward.sor_schedules.items.rules import copied
from steward.sor_schedules.model import NewVersion, Publication, Schedule, Withdrawal
from steward.sor_schedules.rules import MOVES
from steward.users import queries as users

_BY_CALLER, _AS_BEFORE, _WITHOUT_REASON = Publication(), NewVersion(), Withdrawal()


create = creating(queries.SCHEDULES, rules.new_schedule, CREATED)
change = changing(queries.SCHEDULES, rules.changed, UPDATED)
# Its items go with it, without an event for each.
delete = deleting(queries.SCHEDULES, DELETED, rules.check_deletable)


async def publish(ctx: Target, body: Publication = _BY_CALLER) -> Schedule:
    """The version before ends in the same transaction: exactly one is in effect in every second."""
    by = await users.acting_person(ctx, body.published_by, "publishedBy")
    async with ctx.transaction() as ctx:
        details = MoveDetails(ctx.now, by)
        schedule = await records.move(ctx, queries.SCHEDULES, MOVES, "publish", details)
        if schedule.supersedes is not None:
            await records.change(
                ctx.on(schedule.supersedes),
                queries.SCHEDULES,
                lambda before: rules.superseded(before, schedule),
                SUPERSEDED,
            )
        return schedule


async def supersede(ctx: Target, new: NewVersion = _AS_BEFORE) -> Schedule:
    async with ctx.transaction() as ctx:
        before = await records.lock(ctx, queries.SCHEDULES)
        draft = rules.next_version(before, new, ctx.now)
        await records.create(ctx, queries.SCHEDULES, draft, CREATED)
        rates = (
            copied(item, draft.id, ctx.now) for item in await items.all_of(ctx.tx, ctx.tenant, before.id)
        )
        await many_records.create(ctx, items.ITEMS, rates, ITEM_CREATED)
        return draft


async def withdraw(ctx: Target, body: Withdrawal = _WITHOUT_REASON) -> Schedule:
    by = await users.acting_person(ctx, body.withdrawn_by, "withdrawnBy")
    details = MoveDetails(ctx.now, by, body.reason)
    return await records.move(ctx, queries.SCHEDULES, MOVES, "withdraw", details)


async def lock_draft(ctx: Context, schedule_id: str) -> Schedule:
    """Changes of items lock their schedule: it can't be published meanwhile, and its count stays exact."""
    schedule = await records.lock(ctx.on(schedule_id), queries.SCHEDULES)
    return rules.require_draft(schedule, "its items can be changed")


async def count_items(ctx: Context, schedule: Schedule, more: int) -> None:
    counted = rules.with_more_items(schedule, more)
    await records.write(ctx, queries.SCHEDULES, schedule, counted, UPDATED)
