from collections.abc import Callable, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.events.event_types import EventType
from steward.kit.http.route import NoBody
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller, TenantId
from steward.sor_quotations import queries
from steward.sor_quotations.model import (
    MOVES,
    LineItem,
    NewLineItem,
    NewQuotation,
    Quotation,
    QuotationChanges,
    QuotationStatus,
    Rejection,
    approved,
    rejected,
    require_draft,
    require_offered,
    submitted,
    with_lines,
)
from steward.sor_quotations.pricing import priced
from steward.sor_schedules import queries as schedules


async def create(db: Database, who: Caller, new: NewQuotation) -> Quotation:
    now = clock.now()
    # What was published stays as it is, so that nothing needs to be locked between reading and writing.
    require_offered(await schedules.find(db, who.tenant, new.schedule_id), now)
    quotation = Quotation(
        id=new_id("quo"),
        schedule_id=new.schedule_id,
        work_order_id=new.work_order_id,
        status=QuotationStatus.DRAFT,
        total_amount_cents=0,
        line_item_count=0,
        line_items=[],
        submitted_by=None,
        submitted_at=None,
        approved_by=None,
        approved_at=None,
        rejected_by=None,
        rejected_at=None,
        rejected_reason=None,
        created=now,
        updated=now,
    )
    lines = await _price(db, who.tenant, new.schedule_id, new.line_items)
    return await records.create(db, queries.QUOTATIONS, who.tenant, with_lines(quotation, lines))


async def change(
    db: Database, who: Caller, quotation_id: str, changes: QuotationChanges, if_match: str | None
) -> Quotation:
    async with db.transaction() as tx:
        old = await records.lock(tx, queries.QUOTATIONS, who.tenant, quotation_id, if_match)
        new = require_draft(old, "changed")
        if changes.work_order_id is not UNSET:
            new = replace(new, work_order_id=changes.work_order_id)
        if changes.line_items is not UNSET:
            new = with_lines(new, await _price(tx, who.tenant, old.schedule_id, changes.line_items))
        return await records.write(tx, queries.QUOTATIONS, who.tenant, old, new)


async def delete(db: Database, who: Caller, quotation_id: str, if_match: str | None) -> None:
    def check_deletable(quotation: Quotation) -> None:
        require_draft(quotation, "deleted")

    await records.delete(
        db, queries.QUOTATIONS, who.tenant, quotation_id, check_deletable=check_deletable, if_match=if_match
    )


async def submit(
    db: Database, who: Caller, quotation_id: str, _body: NoBody, if_match: str | None
) -> Quotation:
    def to(old: Quotation) -> Quotation:
        return submitted(old, by=who.user, now=clock.now())

    return await _move(db, who.tenant, quotation_id, "submit", to=to, if_match=if_match)


async def approve(
    db: Database, who: Caller, quotation_id: str, _body: NoBody, if_match: str | None
) -> Quotation:
    def to(old: Quotation) -> Quotation:
        return approved(old, by=who.user, now=clock.now())

    return await _move(db, who.tenant, quotation_id, "approve", to=to, if_match=if_match)


async def reject(
    db: Database, who: Caller, quotation_id: str, rejection: Rejection, if_match: str | None
) -> Quotation:
    def to(old: Quotation) -> Quotation:
        return rejected(old, rejection.reason, by=who.user, now=clock.now())

    return await _move(db, who.tenant, quotation_id, "reject", to=to, if_match=if_match)


async def _move(
    db: Database,
    tenant: TenantId,
    quotation_id: str,
    verb: str,
    *,
    to: Callable[[Quotation], Quotation],
    if_match: str | None,
) -> Quotation:
    def events(_old: Quotation, _new: Quotation) -> list[EventType]:
        event = MOVES[verb].event
        return [] if event is None else [event]

    return await records.change(
        db, queries.QUOTATIONS, tenant, quotation_id, to=to, if_match=if_match, events=events
    )


async def _price(
    db: Database, tenant: TenantId, schedule_id: str, lines: Sequence[NewLineItem]
) -> list[LineItem]:
    item_ids = [line.item_id for line in lines if line.item_id is not None]
    items = await schedules.items_by_id(db, tenant, schedule_id, item_ids) if item_ids else {}
    return priced(lines, items)
