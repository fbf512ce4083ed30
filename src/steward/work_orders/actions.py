"""The verbs. Each first notes the deadlines that have passed, so that none is missed between two looks of the clock."""

from collections.abc import Callable

from msgspec.structs import replace

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Conflict
from steward.kit.domain.versions import Precondition
from steward.kit.events.event_types import build_event
from steward.kit.runtime.tenant_cache import TenantCache
from steward.kit.security.caller import Caller, TenantId
from steward.work_orders import queries, rules
from steward.work_orders.events import CREATED, MOVES, change_events
from steward.work_orders.model import (
    Comment,
    NewComment,
    NewWorkOrder,
    WithReason,
    WorkOrder,
    WorkOrderChanges,
    WorkOrderStatus,
)
from steward.work_orders.sla import rules as sla
from steward.work_orders.sla.rules import SlaPolicy

Policies = TenantCache[SlaPolicy]


async def create(policies: Policies, db: Database, who: Caller, new: NewWorkOrder, *, now: int) -> WorkOrder:
    policy = await policies.get(db, who.tenant)
    order = rules.new_order(policy, new, who.user, now)
    event = build_event(CREATED, order, tenant=who.tenant, now=now)
    number = await queries.insert(db, who.tenant, order, event)
    db.notify(who.tenant)
    return replace(order, number=number)


async def change(
    policies: Policies,
    db: Database,
    who: Caller,
    id: str,
    changes: WorkOrderChanges,
    *,
    precondition: Precondition,
    now: int,
) -> WorkOrder:
    policy = await policies.get(db, who.tenant)
    return await records.change(
        db,
        queries.WORK_ORDERS,
        who.tenant,
        id,
        to=lambda order: rules.change(policy, sla.with_breaches(order, now), changes, who.user, now),
        precondition=precondition,
        events=change_events,
        now=now,
    )


async def start(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> WorkOrder:
    return await _move(db, who, id, "start", lambda order: rules.started(order, now), precondition, now=now)


async def hold(
    db: Database, who: Caller, id: str, body: WithReason, *, precondition: Precondition, now: int
) -> WorkOrder:
    return await _move(
        db, who, id, "hold", lambda order: rules.held(order, body.reason, now), precondition, now=now
    )


async def resume(
    policies: Policies, db: Database, who: Caller, id: str, *, precondition: Precondition, now: int
) -> WorkOrder:
    policy = await policies.get(db, who.tenant)
    return await _move(
        db, who, id, "resume", lambda order: rules.resumed(policy, order, now), precondition, now=now
    )


async def complete(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> WorkOrder:
    return await _move(
        db, who, id, "complete", lambda order: rules.completed(order, who.user, now), precondition, now=now
    )


async def cancel(
    db: Database, who: Caller, id: str, body: WithReason, *, precondition: Precondition, now: int
) -> WorkOrder:
    return await _move(
        db, who, id, "cancel", lambda order: rules.cancelled(order, body.reason), precondition, now=now
    )


async def reopen(
    policies: Policies, db: Database, who: Caller, id: str, *, precondition: Precondition, now: int
) -> WorkOrder:
    policy = await policies.get(db, who.tenant)
    return await _move(
        db, who, id, "reopen", lambda order: rules.reopened(policy, order, now), precondition, now=now
    )


async def delete(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    async with db.transaction() as tx:
        untouched = await queries.untouched(tx, who.tenant, id)

        def check_deletable(order: WorkOrder) -> None:
            if order.status != WorkOrderStatus.OPEN or not untouched:
                raise Conflict(
                    f"A work order that is {order.status} and has a history can't be deleted; cancel it instead."
                )

        await records.delete(
            tx,
            queries.WORK_ORDERS,
            who.tenant,
            id,
            check_deletable=check_deletable,
            precondition=precondition,
            now=now,
        )


async def comment(db: Database, who: Caller, order_id: str, new: NewComment, *, now: int) -> Comment:
    """Possible in every state."""
    async with db.transaction() as tx:
        await records.lock(tx, queries.WORK_ORDERS, who.tenant, order_id)
        made = Comment(new_id("cmt"), order_id, new.text, who.user, now)
        return await records.create(tx, queries.COMMENTS, who.tenant, made, now=now)


async def note_breaches(db: Database, tenant: TenantId, id: str, now: int) -> None:
    await records.change(
        db,
        queries.WORK_ORDERS,
        tenant,
        id,
        to=lambda order: sla.with_breaches(order, now),
        events=change_events,
        now=now,
    )


async def _move(
    db: Database,
    who: Caller,
    id: str,
    verb: str,
    then: Callable[[WorkOrder], WorkOrder],
    precondition: Precondition,
    *,
    now: int,
) -> WorkOrder:
    return await records.move(
        db,
        queries.WORK_ORDERS,
        MOVES,
        who.tenant,
        id,
        verb,
        first=lambda order: sla.with_breaches(order, now),
        then=then,
        precondition=precondition,
        events=change_events,
        now=now,
    )
