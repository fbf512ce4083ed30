from steward.kit.db.idempotency import forget_answers
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.events.erasure import UNDER_WAY_SECONDS, erase_events, events_about
from steward.kit.events.event_types import build_event
from steward.kit.events.publish import publish
from steward.kit.records import records
from steward.kit.security.caller import Caller, TenantId
from steward.users.erasure.queries import forget_responses
from steward.visitors import queries, rules
from steward.visitors.events import ERASED, REGISTERED, UPDATED
from steward.visitors.model import NewVisitor, Visitor, VisitorChanges
from steward.visitors.rules import MOVES


async def register(db: Database, who: Caller, new: NewVisitor, *, now: int) -> Visitor:
    """Whoever just walks in is registered and checked in, or neither."""
    visitor = rules.new_visitor(new, who.user, now)
    if not new.check_in:
        return await records.create(db, queries.VISITORS, who.tenant, visitor, events=[REGISTERED], now=now)
    async with db.transaction() as tx:
        await records.create(tx, queries.VISITORS, who.tenant, visitor, events=[REGISTERED], now=now)
        return await check_in(tx, who, visitor.id, precondition=UNCONDITIONAL, now=now)


async def change(
    db: Database, who: Caller, id: str, changes: VisitorChanges, *, precondition: Precondition, now: int
) -> Visitor:
    return await records.change(
        db,
        queries.VISITORS,
        who.tenant,
        id,
        to=lambda visitor: rules.changed(visitor, changes),
        precondition=precondition,
        events=records.always(UPDATED),
        now=now,
    )


async def replacement(_db: Database, who: Caller, old: Visitor, new: NewVisitor) -> VisitorChanges:
    return rules.replacement(old, new, who.user)


async def check_in(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Visitor:
    return await records.move(
        db,
        queries.VISITORS,
        MOVES,
        who.tenant,
        id,
        "check-in",
        then=lambda visitor: rules.checked_in(visitor, now),
        precondition=precondition,
        now=now,
    )


async def check_out(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Visitor:
    return await records.move(
        db,
        queries.VISITORS,
        MOVES,
        who.tenant,
        id,
        "check-out",
        then=lambda visitor: rules.checked_out(visitor, now),
        precondition=precondition,
        now=now,
    )


async def cancel(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> Visitor:
    return await records.move(
        db,
        queries.VISITORS,
        MOVES,
        who.tenant,
        id,
        "cancel",
        precondition=precondition,
        now=now,
    )


async def erase(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    """Erasing again changes nothing."""
    async with db.transaction() as tx:
        visitor = await records.lock(tx, queries.VISITORS, who.tenant, id, precondition)
        rules.check_erasable(visitor)
        await erase_locked(tx, who.tenant, [id], now)


async def erase_locked(tx: Transaction, tenant: TenantId, visitor_ids: list[str], now: int) -> None:
    """Forgets persons wherever they are stored; visits, their times and their number stay.

    Whoever calls this holds the visitors' rows: without their lock nobody can tell anything new of them.
    What is being sent right now is past stopping; what is answered to it is forgotten by `forget_late_answers`.
    """
    erased = await queries.erase(tx, tenant, visitor_ids, now, late_answers_until=now + UNDER_WAY_SECONDS)
    events = await events_about(tx, tenant, visitor_ids)
    await erase_events(tx, tenant, events, rules.BLANKS)
    await forget_responses(tx, tenant, events)
    await forget_answers(tx, tenant, visitor_ids)
    told = [build_event(ERASED, visitor, tenant=tenant, now=now) for visitor in erased]
    await publish(tx, tenant, told, now)


async def forget_late_answers(tx: Transaction, tenant: TenantId, visitor_ids: list[str]) -> None:
    """Of erased visitors, once nothing that was being sent when they were erased can still be under way."""
    await forget_responses(tx, tenant, await events_about(tx, tenant, visitor_ids))
    await queries.clear_late_answers(tx, tenant, visitor_ids)
