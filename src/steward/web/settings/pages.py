"""The organization: name, plan and usage, retention."""

from functools import partial
from typing import Any

import msgspec

from steward.api_keys.model import MAX_ACTIVE
from steward.events.model import RETENTION_DAYS
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit
from steward.organizations import actions, queries
from steward.organizations.model import Organization, OrganizationChanges, Plan
from steward.settings import Settings
from steward.web.settings import queries as usage_queries
from steward.web.settings.queries import OrganizationUsage

PATH = "/app/settings"


class SettingsPage(msgspec.Struct, frozen=True, kw_only=True):
    organization: Organization | None
    usage: OrganizationUsage
    counted: int = usage_queries.COUNTED
    includes_api: bool
    most_keys: int | None
    event_days: int = RETENTION_DAYS
    settings: Settings


async def show(settings: Settings, request: PageRequest[Any, Any], status: int = 200) -> View:
    tenant, plan = request.caller.tenant, Plan(request.caller.plan)
    page = SettingsPage(
        organization=await queries.get(request.db, tenant),
        usage=await usage_queries.usage(request.db, tenant, request.now),
        includes_api=plan.includes_api,
        most_keys=MAX_ACTIVE.get(plan),
        settings=settings,
    )
    return View("web/settings.html", page, status)


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
        WebPage("GET", PATH, partial(show, settings), Permission.ORGANIZATION_READ),
        WebPage(
            "POST", PATH, partial(change, settings), Permission.ORGANIZATION_WRITE, form=OrganizationChanges
        ),
    )
