from typing import Any

from steward.kit.http.web_page import PageRequest, View, WebPage
from steward.kit.security.permissions import Permission
from steward.organizations.model import PLAN_REQUIRED, Plan
from steward.web import queries
from steward.web.app import HOME
from steward.work_orders.model import WorkOrderStatus


async def show(request: PageRequest[Any, Any]) -> View:
    counts = None
    if request.may(Permission.WORK_ORDERS_READ):
        found = await queries.work_orders_by_status(request.db, request.caller.tenant)
        counts = [(status, found.get(status, 0)) for status in WorkOrderStatus]
    return View(
        "web/overview.html",
        {
            "counts": counts,
            "has_api": Plan(request.caller.plan).includes_api,
            "plan_required": PLAN_REQUIRED,
            "may_see_keys": request.may(Permission.API_KEYS_READ),
            "may_write": request.may(Permission.WORK_ORDERS_WRITE),
        },
    )


PAGES = (WebPage(method="GET", path=HOME, handler=show, menu="Overview"),)
