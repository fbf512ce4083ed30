"""The editor: what it shows, and what its two buttons do."""

from typing import Any

from steward.kit.db.pool import Database
from steward.kit.domain.problems import Invalid
from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.records import records
from steward.kit.security.caller import Caller
from steward.kit.web.page import PageRequest
from steward.sor_quotations import actions, queries
from steward.sor_quotations.editor import rules
from steward.sor_quotations.editor.model import Line, QuotationForm
from steward.sor_quotations.model import Quotation, QuotationChanges
from steward.sor_schedules.items import queries as schedule_items

FORM = "change"


async def lines(request: PageRequest[Any, Any], quotation: Quotation) -> list[Line]:
    """As they are stored; as they were sent, where they could not be stored."""
    if request.form.name != FORM:
        return rules.stored_lines(quotation.line_items)
    rows = rules.sent_lines(request.form.sent)
    ids = [row["itemId"] for row in rows if row.get("itemId")]
    items = await schedule_items.by_id(request.db, request.caller.tenant, quotation.schedule_id, ids)
    return [rules.line_again(row, items) for row in rows]


async def save(
    db: Database, who: Caller, id: str, form: QuotationForm, *, precondition: Precondition, now: int
) -> Quotation:
    quotation = await records.get(db, queries.QUOTATIONS, who.tenant, id)
    codes = rules.codes_alone(form.line_items)
    by_code = await schedule_items.by_code(db, who.tenant, quotation.schedule_id, codes) if codes else {}
    changes = QuotationChanges(
        work_order_id=form.work_order_id, line_items=rules.new_lines(form.line_items, by_code)
    )
    try:
        return await actions.change(db, who, id, changes, precondition=precondition, now=now)
    except Invalid as problem:
        raise rules.as_the_form_calls_it(problem, form.line_items) from None


async def save_and_submit(
    db: Database, who: Caller, id: str, form: QuotationForm, *, precondition: Precondition, now: int
) -> Quotation:
    """What was written is kept even where it can't be submitted yet."""
    await save(db, who, id, form, precondition=precondition, now=now)
    return await actions.submit(db, who, id, precondition=UNCONDITIONAL, now=now)
