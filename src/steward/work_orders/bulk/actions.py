"""Each order by itself: what is refused for one leaves the others alone."""

from steward.kit.db.pool import Database
from steward.kit.domain.problems import Invalid, Problem
from steward.kit.domain.versions import UNCONDITIONAL
from steward.kit.security.caller import Caller
from steward.work_orders import actions
from steward.work_orders.bulk.model import BulkForm, BulkOutcome
from steward.work_orders.model import GivenReason, WorkOrderChanges
from steward.work_orders.rules import MOVES


async def apply(
    policies: actions.Policies, db: Database, who: Caller, form: BulkForm, *, now: int
) -> BulkOutcome:
    if form.action != "assign" and MOVES[form.action].needs_reason and form.reason is None:
        raise Invalid("reason", "Say why.")
    done, refused = 0, []
    for id in dict.fromkeys(form.ids):
        try:
            await _apply(policies, db, who, id, form, now)
        except Problem as problem:
            refused.append((id, problem.message))
        else:
            done += 1
    return BulkOutcome(done, refused)


async def _apply(
    policies: actions.Policies, db: Database, who: Caller, id: str, form: BulkForm, now: int
) -> None:
    if form.action == "assign":
        changes = WorkOrderChanges(assignee_id=form.assignee_id)
        await actions.change(policies, db, who, id, changes, precondition=UNCONDITIONAL, now=now)
    elif form.reason is not None and MOVES[form.action].needs_reason:
        body = GivenReason(reason=form.reason)
        await actions.move_with_reason(
            policies, form.action, db, who, id, body, precondition=UNCONDITIONAL, now=now
        )
    else:
        await actions.move(policies, form.action, db, who, id, precondition=UNCONDITIONAL, now=now)
