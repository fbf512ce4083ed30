"""Each order by itself: a refusal of one doesn't affect the others."""

from steward.kit.domain.problems import Invalid, Problem
from steward.kit.records.context import Context, Target
from steward.work_orders import actions
from steward.work_orders.bulk.model import BulkForm, BulkOutcome
from steward.work_orders.model import GivenReason, WorkOrderChanges
from steward.work_orders.rules import MOVES


async def apply(policies: actions.Policies, ctx: Context, form: BulkForm) -> BulkOutcome:
    if form.action != "assign" and MOVES[form.action].needs_reason and form.reason is None:
        raise Invalid("reason", "Say why.")
    done, refused = 0, []
    for id in dict.fromkeys(form.ids):
        try:
            await _apply(policies, ctx.on(id), form)
        except Problem as problem:
            refused.append((id, problem.message))
        else:
            done += 1
    return BulkOutcome(done, refused)


async def _apply(policies: actions.Policies, ctx: Target, form: BulkForm) -> None:
    if form.action == "assign":
        changes = WorkOrderChanges(assignee_id=form.assignee_id)
        await actions.change(policies, ctx, changes)
    elif form.reason is not None and MOVES[form.action].needs_reason:
        body = GivenReason(reason=form.reason)
        await actions.move_with_reason(policies, form.action, ctx, body)
    else:
        await actions.move(policies, form.action, ctx)
