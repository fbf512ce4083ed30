"""The verbs. Each first notes the deadlines that have passed, so that none is missed between two looks of the clock."""

from collections.abc import Callable

from msgspec.structs import replace

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Conflict
from steward.kit.events.event_types import build_event
from steward.kit.http.route import NoBody
from steward.kit.runtime import clock
from steward.kit.runtime.tenant_cache import TenantCache
from steward.kit.security.caller import Caller, TenantId
from steward.work_orders import queries, rules
from steward.work_orders.events import CREATED, change_events
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


async def create(policies: Policies, db: Database, who: Caller, new: NewWorkOrder) -> WorkOrder:
    now = clock.now()
    order = WorkOrder(
        id=new_id("wo"),
        number=0,
        title=new.title,
        description=new.description,
        priority=new.priority,
        location_id=new.location_id,
        asset_id=new.asset_id,
        assignee_id=new.assignee_id,
        reported_by=new.reported_by or who.user,
        checklist=rules.checklist([], new.checklist, who.user, now),
        created=now,
        updated=now,
    )
    order = sla.with_deadlines(await policies.get(db, who.tenant), order, now)
    event = build_event(CREATED, order, tenant=who.tenant, now=now)
    return replace(order, number=await queries.insert(db, who.tenant, order, event))


async def change(
    policies: Policies, db: Database, who: Caller, id: str, changes: WorkOrderChanges, if_match: str | None
) -> WorkOrder:
    policy, now = await policies.get(db, who.tenant), clock.now()
    return await _change(
        db, who.tenant, id, lambda order: rules.change(policy, order, changes, who.user, now), if_match
    )


async def start(db: Database, who: Caller, id: str, _body: NoBody, if_match: str | None) -> WorkOrder:
    now = clock.now()
    return await _change(db, who.tenant, id, lambda order: rules.start(order, now), if_match)


async def hold(db: Database, who: Caller, id: str, body: WithReason, if_match: str | None) -> WorkOrder:
    now = clock.now()
    return await _change(db, who.tenant, id, lambda order: rules.hold(order, body.reason, now), if_match)


async def resume(
    policies: Policies, db: Database, who: Caller, id: str, _body: NoBody, if_match: str | None
) -> WorkOrder:
    policy, now = await policies.get(db, who.tenant), clock.now()
    return await _change(db, who.tenant, id, lambda order: rules.resume(policy, order, now), if_match)


async def complete(db: Database, who: Caller, id: str, _body: NoBody, if_match: str | None) -> WorkOrder:
    now = clock.now()
    return await _change(db, who.tenant, id, lambda order: rules.complete(order, who.user, now), if_match)


async def cancel(db: Database, who: Caller, id: str, body: WithReason, if_match: str | None) -> WorkOrder:
    return await _change(db, who.tenant, id, lambda order: rules.cancel(order, body.reason), if_match)


async def reopen(
    policies: Policies, db: Database, who: Caller, id: str, _body: NoBody, if_match: str | None
) -> WorkOrder:
    policy, now = await policies.get(db, who.tenant), clock.now()
    return await _change(db, who.tenant, id, lambda order: rules.reopen(policy, order, now), if_match)


async def delete(db: Database, who: Caller, id: str, if_match: str | None) -> None:
    async with db.transaction() as tx:
        untouched = await queries.untouched(tx, who.tenant, id)

        def check_deletable(order: WorkOrder) -> None:
            if order.status != WorkOrderStatus.OPEN or not untouched:
                raise Conflict(
                    f"A work order that is {order.status} and has a history can't be deleted; cancel it instead."
                )

        await records.delete(
            tx, queries.WORK_ORDERS, who.tenant, id, check_deletable=check_deletable, if_match=if_match
        )


async def comment(db: Database, who: Caller, order_id: str, new: NewComment) -> Comment:
    """Possible in every state."""
    async with db.transaction() as tx:
        await records.lock(tx, queries.WORK_ORDERS, who.tenant, order_id)
        made = Comment(new_id("cmt"), order_id, new.text, who.user, clock.now())
        return await records.create(tx, queries.COMMENTS, who.tenant, made)


async def note_breaches(db: Database, tenant: TenantId, id: str, now: int) -> None:
    await records.change(
        db,
        queries.WORK_ORDERS,
        tenant,
        id,
        to=lambda order: sla.with_breaches(order, now),
        events=change_events,
    )


async def _change(
    db: Database, tenant: TenantId, id: str, rule: Callable[[WorkOrder], WorkOrder], if_match: str | None
) -> WorkOrder:
    now = clock.now()
    return await records.change(
        db,
        queries.WORK_ORDERS,
        tenant,
        id,
        to=lambda order: rule(sla.with_breaches(order, now)),
        if_match=if_match,
        events=change_events,
    )
