from steward.kit.db.idempotency import forget_answers
from steward.kit.db.pool import Transaction
from steward.kit.events.erasure import UNDER_WAY_SECONDS, erase_events, events_about
from steward.kit.events.event_types import build_event
from steward.kit.events.publish import publish
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.records.verbs import changing, moving
from steward.kit.security.caller import TenantId
from steward.users.erasure.queries import forget_responses
from steward.visitors import queries, rules
from steward.visitors.events import ERASED, REGISTERED, UPDATED
from steward.visitors.model import NewVisitor, Visitor, VisitorChanges
from steward.visitors.rules import MOVES

change = changing(queries.VISITORS, rules.changed, UPDATED)
check_in = moving(queries.VISITORS, MOVES, "check-in")
check_out = moving(queries.VISITORS, MOVES, "check-out")
cancel = moving(queries.VISITORS, MOVES, "cancel")


async def register(ctx: Context, new: NewVisitor) -> Visitor:
    """A visitor who walks in is registered and checked in, or neither."""
    visitor = rules.new_visitor(new, ctx.who.user, ctx.now)
    if not new.check_in:
        return await records.create(ctx, queries.VISITORS, visitor, REGISTERED)
    async with ctx.transaction() as ctx:
        await records.create(ctx, queries.VISITORS, visitor, REGISTERED)
        return await check_in(ctx.on(visitor.id))


async def replacement(ctx: Context, old: Visitor, new: NewVisitor) -> VisitorChanges:
    return rules.replacement(old, new, ctx.who.user)


async def erase(ctx: Target) -> None:
    """Erasing again changes nothing."""
    async with ctx.transaction() as ctx:
        visitor = await records.lock(ctx, queries.VISITORS)
        rules.check_erasable(visitor)
        await erase_locked(ctx.tx, ctx.tenant, [ctx.id], ctx.now)


async def erase_locked(tx: Transaction, tenant: TenantId, visitor_ids: list[str], now: int) -> None:
    """Erases persons wherever they are stored; visits, their times and their number stay.

    The caller has locked the visitors' rows, so that no new event shows them. Deliveries that are being sent can't be
    stopped; `forget_late_answers` erases what is answered to them.
    """
    erased = await queries.erase(tx, tenant, visitor_ids, now, late_answers_until=now + UNDER_WAY_SECONDS)
    events = await events_about(tx, tenant, visitor_ids)
    await erase_events(tx, tenant, events, rules.BLANKS)
    await forget_responses(tx, tenant, events)
    await forget_answers(tx, tenant, visitor_ids)
    published = [build_event(ERASED, visitor, tenant=tenant, now=now) for visitor in erased]
    await publish(tx, tenant, published, now)


async def forget_late_answers(tx: Transaction, tenant: TenantId, visitor_ids: list[str]) -> None:
    """For erased visitors, once no delivery can still be in flight that was being sent at their erasure."""
    await forget_responses(tx, tenant, await events_about(tx, tenant, visitor_ids))
    await queries.clear_late_answers(tx, tenant, visitor_ids)
