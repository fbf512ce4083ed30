from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.db.pool import Database
from steward.kit.domain.problems import all_faults
from steward.kit.domain.versions import Precondition
from steward.kit.records import records
from steward.kit.security.caller import Caller, TenantId
from steward.sor_quotations import queries, rules
from steward.sor_quotations.events import CREATED, DELETED, UPDATED
from steward.sor_quotations.model import (
    ApprovalBy,
    LineItem,
    NewLineItem,
    NewQuotation,
    Quotation,
    QuotationChanges,
    Rejection,
    SubmissionBy,
)
from steward.sor_quotations.pricing import priced
from steward.sor_quotations.rules import MOVES
from steward.sor_schedules import queries as schedules
from steward.sor_schedules.items import queries as schedule_items
from steward.sor_schedules.items.model import RateItem
from steward.sor_schedules.rules import in_effect
from steward.users import queries as users

_SUBMITTED_BY_CALLER, _APPROVED_BY_CALLER = SubmissionBy(), ApprovalBy()


async def create(db: Database, who: Caller, new: NewQuotation, *, now: int) -> Quotation:
    async with db.transaction() as tx:
        schedule = await schedules.hold(tx, who.tenant, new.schedule_id)
        items = await _items(tx, who.tenant, new.schedule_id, new.line_items)
        lines: list[LineItem] = []
        with all_faults() as faults:
            faults.check(rules.require_in_effect, schedule, now)
            faults.check(lambda: lines.extend(priced(new.line_items, items)))
        quotation = rules.new_quotation(new, lines, now)
        return await records.create(tx, queries.QUOTATIONS, who.tenant, quotation, events=(CREATED,), now=now)


async def change(
    db: Database,
    who: Caller,
    quotation_id: str,
    changes: QuotationChanges,
    *,
    precondition: Precondition,
    now: int,
) -> Quotation:
    async with db.transaction() as tx:
        old = await records.lock(tx, queries.QUOTATIONS, who.tenant, quotation_id, precondition)
        new = rules.require_draft(old, "changed")
        if changes.work_order_id is not UNSET:
            new = replace(new, work_order_id=changes.work_order_id)
        if changes.line_items is not UNSET:
            lines = changes.line_items or []
            schedule = await schedules.hold(tx, who.tenant, old.schedule_id)
            if schedule is not None and not in_effect(schedule, now):
                rules.refuse_new_rates(lines, old.line_items, schedule)
            new = rules.with_lines(new, await _price(tx, who.tenant, old.schedule_id, lines))
        told = records.always(UPDATED)
        return await records.write(tx, queries.QUOTATIONS, who.tenant, old, new, events=told, now=now)


async def delete(
    db: Database, who: Caller, quotation_id: str, *, precondition: Precondition, now: int
) -> None:
    await records.delete(
        db,
        queries.QUOTATIONS,
        who.tenant,
        quotation_id,
        check_deletable=rules.check_deletable,
        event=DELETED,
        precondition=precondition,
        now=now,
    )


async def submit(
    db: Database,
    who: Caller,
    quotation_id: str,
    body: SubmissionBy = _SUBMITTED_BY_CALLER,
    *,
    precondition: Precondition,
    now: int,
) -> Quotation:
    """Also when the rates don't hold any more: they did when they were copied, and whoever approves decides."""
    by = await users.acting_person(db, who, body.submitted_by, "submittedBy")
    return await records.move(
        db,
        queries.QUOTATIONS,
        MOVES,
        who.tenant,
        quotation_id,
        "submit",
        then=lambda quotation: rules.submitted(quotation, by=by, now=now),
        precondition=precondition,
        now=now,
    )


async def approve(
    db: Database,
    who: Caller,
    quotation_id: str,
    body: ApprovalBy = _APPROVED_BY_CALLER,
    *,
    precondition: Precondition,
    now: int,
) -> Quotation:
    by = await users.acting_person(db, who, body.approved_by, "approvedBy")
    return await records.move(
        db,
        queries.QUOTATIONS,
        MOVES,
        who.tenant,
        quotation_id,
        "approve",
        then=lambda quotation: rules.approved(quotation, by=by, now=now),
        precondition=precondition,
        now=now,
    )


async def reject(
    db: Database,
    who: Caller,
    quotation_id: str,
    rejection: Rejection,
    *,
    precondition: Precondition,
    now: int,
) -> Quotation:
    by = await users.acting_person(db, who, rejection.rejected_by, "rejectedBy")
    return await records.move(
        db,
        queries.QUOTATIONS,
        MOVES,
        who.tenant,
        quotation_id,
        "reject",
        then=lambda quotation: rules.rejected(quotation, rejection.reason, by=by, now=now),
        precondition=precondition,
        now=now,
    )


async def _price(
    db: Database, tenant: TenantId, schedule_id: str, lines: Sequence[NewLineItem]
) -> list[LineItem]:
    return priced(lines, await _items(db, tenant, schedule_id, lines))


async def _items(
    db: Database, tenant: TenantId, schedule_id: str, lines: Sequence[NewLineItem]
) -> dict[str, RateItem]:
    item_ids = [line.item_id for line in lines if line.item_id is not None]
    return await schedule_items.by_id(db, tenant, schedule_id, item_ids) if item_ids else {}
