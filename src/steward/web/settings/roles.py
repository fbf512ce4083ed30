"""Roles as a grid of permissions; built-in roles can't be changed."""

from functools import partial
from typing import Any

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.records import records
from steward.kit.security.permissions import ALL_PERMISSIONS, MEANINGS, Permission, by_area
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.roles import actions, queries
from steward.roles.model import NewRole, RoleChanges

PATH = "/app/settings/roles"


async def show_grid(request: PageRequest[Any, Any]) -> View:
    values = {
        "roles": await queries.all_roles(request.db, request.caller.tenant),
        "areas": by_area(ALL_PERMISSIONS),
        "meanings": MEANINGS,
        "may_write": request.may(Permission.ROLES_WRITE),
    }
    return View("web/settings_roles.html", values)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    role = await records.get(request.db, queries.ROLES, request.caller.tenant, request.params["roleId"])
    holders = await queries.count_holders(request.db, request.caller.tenant, role.id)
    return _role(request, status, role=role, holders=holders)


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    return _role(request, status, role=None, holders=0)


def _role(request: PageRequest[Any, Any], status: int, **values: Any) -> View:
    role = values["role"]
    beyond = role is not None and (role.system or not request.caller.permissions.issuperset(role.permissions))
    may_write = request.may(Permission.ROLES_WRITE) and not beyond
    shared = {
        "form": request.form,
        # People can only grant permissions that they have.
        "areas": by_area(request.caller.permissions if may_write else role.permissions),
        "meanings": MEANINGS,
        "may_write": may_write,
    }
    return View("web/settings_role.html", {**values, **shared}, status)


RECORD = RecordPages(
    path=PATH,
    id_name="roleId",
    read_permission=Permission.ROLES_READ,
    write_permission=Permission.ROLES_WRITE,
    show=show_one,
    show_new=show_new,
)


def pages(bus: Invalidator) -> tuple[WebPage, ...]:
    return (
        WebPage(method="GET", path=PATH, handler=show_grid, permission=Permission.ROLES_READ),
        RECORD.new(),
        RECORD.create(actions.create, form=NewRole),
        RECORD.read(),
        RECORD.change(partial(actions.change, bus), form=RoleChanges),
        RECORD.delete(actions.delete),
    )
