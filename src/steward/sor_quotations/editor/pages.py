"""The editor: its content, and its two buttons."""

from typing import Any

from steward.kit.domain.problems import Invalid
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.web.form_rows import sent_rows
from steward.kit.web.page import PageRequest
from steward.sor_quotations import actions, queries
from steward.sor_quotations.editor import rules
from steward.sor_quotations.editor.model import Line, QuotationForm
from steward.sor_quotations.model import Quotation, QuotationChanges
from steward.sor_schedules.items import queries as schedule_items

FORM = "change"


async def lines(request: PageRequest[Any, Any], quotation: Quotation) -> list[Line]:
    """The stored lines; the sent ones, if they could not be stored."""
    if request.form.name != FORM:
        return rules.stored_lines(quotation.line_items)
    rows = sent_rows(request.form, "lineItems") or []
    ids = [row["itemId"] for row in rows if row.get("itemId")]
    items = await schedule_items.by_id(request.db, request.caller.tenant, quotation.schedule_id, ids)
    return [rules.line_again(row, items) for row in rows]


async def save(ctx: Target, form: QuotationForm) -> Quotation:
    quotation = await records.get(ctx.db, queries.QUOTATIONS, ctx.tenant, ctx.id)
    codes = rules.codes_alone(form.line_items)
    by_code = await schedule_items.by_code(ctx.db, ctx.tenant, quotation.schedule_id, codes) if codes else {}
    changes = QuotationChanges(
        work_order_id=form.work_order_id, line_items=rules.new_lines(form.line_items, by_code)
    )
    try:
        return await actions.change(ctx, changes)
    except Invalid as problem:
        raise rules.as_the_form_calls_it(problem, form.line_items) from None


async def save_and_submit(ctx: Target, form: QuotationForm) -> Quotation:
    """The lines are saved even if they can't be submitted yet."""
    await save(ctx, form)
    return await actions.submit(ctx.on(ctx.id))
