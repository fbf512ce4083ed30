from typing import Any

from steward.kit.pages import View, Visit, WebPage
from steward.kit.permissions import Permission
from steward.organizations.model import PLAN_REQUIRED, Plan
from steward.web import queries
from steward.web.app import HOME
from steward.work_orders.model import Status


async def show(visit: Visit[Any, Any]) -> View:
    counts = None
    if visit.may(Permission.WORK_ORDERS_READ):
        found = await queries.work_orders_by_status(visit.db, visit.caller.tenant)
        counts = [(status, found.get(status, 0)) for status in Status]
    return View(
        "web/overview.html",
        {
            "counts": counts,
            "has_api": Plan(visit.caller.plan).includes_api,
            "plan_required": PLAN_REQUIRED,
            "may_see_keys": visit.may(Permission.API_KEYS_READ),
            "may_write": visit.may(Permission.WORK_ORDERS_WRITE),
        },
    )


PAGES = (WebPage(method="GET", path=HOME, handler=show, menu="Overview"),)
