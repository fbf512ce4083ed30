from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.db.pool import Database
from steward.kit.domain.problems import all_faults
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.records.moves import MoveDetails
from steward.kit.records.verbs import deleting
from steward.kit.security.caller import TenantId
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

delete = deleting(queries.QUOTATIONS, DELETED, rules.check_deletable)


async def create(ctx: Context, new: NewQuotation) -> Quotation:
    async with ctx.transaction() as ctx:
        schedule = await schedules.hold(ctx.tx, ctx.tenant, new.schedule_id)
        items = await _items(ctx.tx, ctx.tenant, new.schedule_id, new.line_items)
        lines: list[LineItem] = []
        with all_faults() as faults:
            faults.check(rules.require_in_effect, schedule, ctx.now)
            faults.check(lambda: lines.extend(priced(new.line_items, items)))
        quotation = rules.new_quotation(new, lines, ctx.now)
        return await records.create(ctx, queries.QUOTATIONS, quotation, CREATED)


async def change(ctx: Target, changes: QuotationChanges) -> Quotation:
    async with ctx.transaction() as ctx:
        old = await records.lock(ctx, queries.QUOTATIONS)
        new = rules.require_draft(old, "changed")
        if changes.work_order_id is not UNSET:
            new = replace(new, work_order_id=changes.work_order_id)
        if changes.line_items is not UNSET:
            lines = changes.line_items or []
            schedule = await schedules.hold(ctx.tx, ctx.tenant, old.schedule_id)
            if schedule is not None and not in_effect(schedule, ctx.now):
                rules.refuse_new_rates(lines, old.line_items, schedule)
            items = await _items(ctx.tx, ctx.tenant, old.schedule_id, lines)
            new = rules.with_lines(new, priced(lines, items))
        return await records.write(ctx, queries.QUOTATIONS, old, new, UPDATED)


async def submit(ctx: Target, body: SubmissionBy = _SUBMITTED_BY_CALLER) -> Quotation:
    """Also when the rates are no longer in effect: they were when they were copied, and the approver decides."""
    by = await users.acting_person(ctx, body.submitted_by, "submittedBy")
    return await records.move(ctx, queries.QUOTATIONS, MOVES, "submit", MoveDetails(ctx.now, by))


async def approve(ctx: Target, body: ApprovalBy = _APPROVED_BY_CALLER) -> Quotation:
    by = await users.acting_person(ctx, body.approved_by, "approvedBy")
    return await records.move(ctx, queries.QUOTATIONS, MOVES, "approve", MoveDetails(ctx.now, by))


async def reject(ctx: Target, rejection: Rejection) -> Quotation:
    by = await users.acting_person(ctx, rejection.rejected_by, "rejectedBy")
    details = MoveDetails(ctx.now, by, rejection.reason)
    return await records.move(ctx, queries.QUOTATIONS, MOVES, "reject", details)


async def _items(
    db: Database, tenant: TenantId, schedule_id: str, lines: Sequence[NewLineItem]
) -> dict[str, RateItem]:
    item_ids = [line.item_id for line in lines if line.item_id is not None]
    return await schedule_items.by_id(db, tenant, schedule_id, item_ids) if item_ids else {}
