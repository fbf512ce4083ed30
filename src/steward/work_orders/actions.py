"""The verbs. Each first notes the deadlines that have passed, so that none is missed between two looks of the clock."""

from collections.abc import Callable, Iterable
from functools import partial

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.events.event_types import build_event
from steward.kit.records import records
from steward.kit.security.caller import Caller, TenantId
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
from steward.work_orders.rules import MOVES
from steward.work_orders.sla import rules as sla
from steward.work_orders.sla.model import SlaPolicy

Policies = TenantCache[SlaPolicy]
NOBODY_NAMED = Completion()


async def create(policies: Policies, db: Database, who: Caller, new: NewWorkOrder, *, now: int) -> WorkOrder:
    rules.check_request(new, who)
    await _check_doers(db, who, new.checklist)
    policy = await policies.get(db, who.tenant)
    order = rules.new_work_order(policy, new, who.user, now)
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
    await _check_doers(db, who, () if changes.checklist is UNSET else changes.checklist or ())
    completer = await users.acting_person(db, who, changes.completed_by or None, "completedBy")
    to = partial(rules.changed, changes=changes, by=who.user, completed_by=completer, now=now)
    return await _change(policies, db, who, id, to, precondition=precondition, now=now)


async def replacement(_db: Database, _who: Caller, old: WorkOrder, new: NewWorkOrder) -> WorkOrderChanges:
    return rules.replacement(old, new)


async def tick(
    policies: Policies,
    db: Database,
    who: Caller,
    id: str,
    item: TickedItem,
    *,
    precondition: Precondition,
    now: int,
) -> WorkOrder:
    """One item of the checklist, whatever happens to the others at the same time."""
    to = partial(rules.ticked, item=item, by=who.user, now=now)
    return await _change(policies, db, who, id, to, precondition=precondition, now=now)


async def complete(
    policies: Policies,
    db: Database,
    who: Caller,
    id: str,
    body: Completion = NOBODY_NAMED,
    *,
    precondition: Precondition,
    now: int,
) -> WorkOrder:
    by = await users.acting_person(db, who, body.completed_by, "completedBy")
    return await _move(policies, "complete", None, db, who, id, by=by, precondition=precondition, now=now)


async def move(
    policies: Policies, verb: str, db: Database, who: Caller, id: str, *, precondition: Precondition, now: int
) -> WorkOrder:
    return await _move(policies, verb, None, db, who, id, by=who.user, precondition=precondition, now=now)


async def move_with_reason(
    policies: Policies,
    verb: str,
    db: Database,
    who: Caller,
    id: str,
    body: GivenReason,
    *,
    precondition: Precondition,
    now: int,
) -> WorkOrder:
    return await _move(policies, verb, body.reason, db, who, id, precondition=precondition, now=now)


async def delete(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    async with db.transaction() as tx:
        untouched = await queries.untouched(tx, who.tenant, id)
        await records.delete(
            tx,
            queries.WORK_ORDERS,
            who.tenant,
            id,
            check_deletable=partial(rules.check_deletable, untouched=untouched),
            precondition=precondition,
            event=DELETED,
            now=now,
        )


async def _check_doers(db: Database, who: Caller, items: Iterable[NewChecklistItem]) -> None:
    named = {item.done_by: f"checklist[{index}].doneBy" for index, item in enumerate(items) if item.done_by}
    for person, field in named.items():
        await users.acting_person(db, who, person, field)


async def note_breaches(db: Database, tenant: TenantId, id: str, now: int) -> None:
    await records.change(
        db,
        queries.WORK_ORDERS,
        tenant,
        id,
        to=lambda order: sla.with_breaches(order, now),
        events=rules.change_events,
        now=now,
    )


async def _change(
    policies: Policies,
    db: Database,
    who: Caller,
    id: str,
    to: Callable[[SlaPolicy, WorkOrder], WorkOrder],
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
        to=lambda order: to(policy, sla.with_breaches(order, now)),
        precondition=precondition,
        own=rules.kept_to(who),
        events=rules.change_events,
        now=now,
    )


async def _move(
    policies: Policies,
    verb: str,
    reason: str | None,
    db: Database,
    who: Caller,
    id: str,
    *,
    by: str | None = None,
    precondition: Precondition,
    now: int,
) -> WorkOrder:
    policy = await policies.get(db, who.tenant)
    return await records.move(
        db,
        queries.WORK_ORDERS,
        MOVES,
        who.tenant,
        id,
        verb,
        first=lambda order: sla.with_breaches(order, now),
        then=lambda order: rules.moved(policy, order, verb, reason, by=by, now=now),
        precondition=precondition,
        own=rules.kept_to(who),
        events=rules.change_events,
        now=now,
    )
