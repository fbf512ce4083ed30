"""The verbs. Each first notes the deadlines that have passed, so that none is missed between two runs of the job."""

from collections.abc import Callable, Iterable
from functools import partial

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.events.event_types import build_event
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.users import queries as users
from steward.work_orders import queries, rules
from steward.work_orders.events import CREATED, DELETED
from steward.work_orders.model import (
    Completion,
    GivenReason,
    NewChecklistItem,
    NewWorkOrder,
    TickedItem,
    WorkOrder,
    WorkOrderChanges,
)
from steward.work_orders.rules import MOVES, OrderMoveDetails
from steward.work_orders.sla import rules as sla
from steward.work_orders.sla.model import SlaPolicy

Policies = TenantCache[SlaPolicy]


async def create(policies: Policies, ctx: Context, new: NewWorkOrder) -> WorkOrder:
    rules.check_request(new, ctx.who)
    await _check_doers(ctx, new.checklist)
    policy = await policies.get(ctx.db, ctx.tenant)
    order = rules.new_work_order(policy, new, ctx.who.user, ctx.now)
    event = build_event(CREATED, order, tenant=ctx.tenant, now=ctx.now)
    number = await queries.insert(ctx.db, ctx.tenant, order, event)
    ctx.db.notify(ctx.tenant)
    return replace(order, number=number)


async def change(policies: Policies, ctx: Target, changes: WorkOrderChanges) -> WorkOrder:
    await _check_doers(ctx, () if changes.checklist is UNSET else changes.checklist or ())
    completer = await users.acting_person(ctx, changes.completed_by or None, "completedBy")
    details = await _details(policies, ctx, by=completer)
    return await _change(ctx, lambda order: rules.changed(order, changes, details, ctx.who.user))


async def replacement(_ctx: Context, old: WorkOrder, new: NewWorkOrder) -> WorkOrderChanges:
    return rules.replacement(old, new)


async def tick(ctx: Target, item: TickedItem) -> WorkOrder:
    """One item of the checklist, whatever happens to the others at the same time."""
    return await _change(ctx, lambda order: rules.ticked(order, item, ctx.who.user, ctx.now))


async def move(policies: Policies, verb: str, ctx: Target) -> WorkOrder:
    details = await _details(policies, ctx, by=ctx.who.user)
    return await _change(ctx, lambda order: MOVES.apply(order, verb, details))


async def move_with_reason(policies: Policies, verb: str, ctx: Target, body: GivenReason) -> WorkOrder:
    details = await _details(policies, ctx, reason=body.reason)
    return await _change(ctx, lambda order: MOVES.apply(order, verb, details))


async def complete(policies: Policies, ctx: Target, body: Completion) -> WorkOrder:
    by = await users.acting_person(ctx, body.completed_by, "completedBy")
    details = await _details(policies, ctx, by=by)
    return await _change(ctx, lambda order: MOVES.apply(order, "complete", details))


async def delete(ctx: Target) -> None:
    async with ctx.transaction() as ctx:
        untouched = await queries.untouched(ctx.tx, ctx.tenant, ctx.id)
        check_deletable = partial(rules.check_deletable, untouched=untouched)
        await records.delete(ctx, queries.WORK_ORDERS, DELETED, check_deletable=check_deletable)


async def note_breaches(ctx: Target) -> None:
    await records.change(
        ctx,
        queries.WORK_ORDERS,
        lambda order: sla.with_breaches(order, ctx.now),
        events=rules.change_events,
    )


async def _check_doers(ctx: Context, items: Iterable[NewChecklistItem]) -> None:
    named = {item.done_by: f"checklist[{index}].doneBy" for index, item in enumerate(items) if item.done_by}
    for person, field in named.items():
        await users.acting_person(ctx, person, field)


async def _details(
    policies: Policies, ctx: Target, *, by: str | None = None, reason: str | None = None
) -> OrderMoveDetails:
    return OrderMoveDetails(ctx.now, by, reason, policy=await policies.get(ctx.db, ctx.tenant))


async def _change(ctx: Target, to: Callable[[WorkOrder], WorkOrder]) -> WorkOrder:
    return await records.change(
        ctx,
        queries.WORK_ORDERS,
        lambda order: to(sla.with_breaches(order, ctx.now)),
        own=rules.own_records_only(ctx.who),
        events=rules.change_events,
    )
