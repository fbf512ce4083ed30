from functools import partial
from typing import Any, cast

import msgspec

from steward.kit.domain.problems import Invalid
from steward.kit.security.permissions import Permission
from steward.kit.web.form import SubmittedForm
from steward.kit.web.list_page import ListView
from steward.kit.web.page import PageRequest, View, WebPage
from steward.work_orders import actions as work_orders
from steward.work_orders import queries
from steward.work_orders.bulk import actions
from steward.work_orders.bulk.model import MOST, BulkForm, BulkOutcome
from steward.work_orders.pages import LIST, PATH


class ChangedOrders(msgspec.Struct, frozen=True):
    """How many were changed, and identifier, title and reason of the others."""

    done: int
    refused: list[tuple[str, str, str]]


async def apply(policies: work_orders.Policies, request: PageRequest[BulkForm, Any]) -> View:
    """Shows the list again, with the results and the refusals."""
    outcome: BulkOutcome | None = None
    form = request.form
    if form.content is None:
        form.problem = _what_is_wrong(form)
    else:
        try:
            outcome = await actions.apply(policies, request.context, form.content)
        except Exception as error:
            # The database refuses an assignee who doesn't exist.
            problem = request.explain(error)
            if not isinstance(problem, Invalid):
                raise problem from error
            form.problem = problem.message
    view = await LIST.show(request)
    if outcome is None:
        return msgspec.structs.replace(view, status=422, fragments={})
    titles = await queries.LOOKUP.names(request.db, request.caller.tenant, [id for id, _ in outcome.refused])
    changed = ChangedOrders(
        outcome.done, [(id, titles.get(id, "Unknown"), why) for id, why in outcome.refused]
    )
    values = msgspec.structs.replace(cast(ListView, view.values), context=changed)
    return View(view.template, values)


def _what_is_wrong(form: SubmittedForm[BulkForm]) -> str:
    if "reason" in form.errors:
        return f"Reason: {form.errors['reason']}"
    if len(form.values("ids")) > MOST:
        return f"Choose at most {MOST} work orders at once."
    return "Select work orders and an action."


def pages(policies: work_orders.Policies) -> tuple[WebPage, ...]:
    return (
        WebPage(
            "POST", f"{PATH}/bulk", partial(apply, policies), Permission.WORK_ORDERS_WRITE, form=BulkForm
        ),
    )
