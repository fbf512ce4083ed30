"""The organization: name, plan and usage, retention."""

from functools import partial
from typing import Any

from steward.api_keys.model import MAX_ACTIVE
from steward.events.model import RETENTION_DAYS
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit
from steward.organizations import actions, queries
from steward.organizations.model import OrganizationChanges, Plan
from steward.settings import Settings
from steward.web.settings import queries as usage_queries

PATH = "/app/settings"


async def show(settings: Settings, request: PageRequest[Any, Any], status: int = 200) -> View:
    tenant = request.caller.tenant
    organization = await queries.get(request.db, tenant)
    values = {
        "organization": organization,
        "usage": await usage_queries.usage(request.db, tenant, request.now),
        "counted": usage_queries.COUNTED,
        "includes_api": Plan(request.caller.plan).includes_api,
        "most_keys": MAX_ACTIVE.get(Plan(request.caller.plan)),
        "event_days": RETENTION_DAYS,
        "settings": settings,
        "form": request.form,
        "may_write": request.may(Permission.ORGANIZATION_WRITE),
    }
    return View("web/settings.html", values, status)


async def change(settings: Settings, request: PageRequest[OrganizationChanges, Any]) -> View | Redirect:
    return await submit(
        request,
        lambda changes: actions.change(request.context.on(request.caller.tenant), changes),
        to=lambda _: Redirect(PATH),
        again=partial(show, settings, request),
        name="change",
    )


def pages(settings: Settings) -> tuple[WebPage, ...]:
    return (
        WebPage(
            method="GET", path=PATH, handler=partial(show, settings), permission=Permission.ORGANIZATION_READ
        ),
        WebPage(
            method="POST",
            path=PATH,
            handler=partial(change, settings),
            permission=Permission.ORGANIZATION_WRITE,
            form=OrganizationChanges,
        ),
    )
