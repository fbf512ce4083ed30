"""Roles as a grid of permissions; built-in roles can't be changed."""

from functools import partial
from typing import Any

import msgspec

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.records import records
from steward.kit.security.permissions import ALL_PERMISSIONS, Permission, by_area
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.roles import actions, queries
from steward.roles.model import NewRole, Role, RoleChanges

PATH = "/app/settings/roles"


class RolesPage(msgspec.Struct, frozen=True, kw_only=True):
    roles: list[Role]
    areas: list[tuple[str, list[Permission]]]


class RolePage(msgspec.Struct, frozen=True, kw_only=True):
    """`role` is None for a new one."""

    role: Role | None
    holders: int
    areas: list[tuple[str, list[Permission]]]
    may_write: bool


async def show_grid(request: PageRequest[Any, Any]) -> View:
    roles = await queries.all_roles(request.db, request.caller.tenant)
    return View("web/settings_roles.html", RolesPage(roles=roles, areas=by_area(ALL_PERMISSIONS)))


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    role = await records.get(request.db, queries.ROLES, request.caller.tenant, request.params["roleId"])
    holders = await queries.count_holders(request.db, request.caller.tenant, role.id)
    return _role(request, status, role, holders)


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    return _role(request, status, None, 0)


def _role(request: PageRequest[Any, Any], status: int, role: Role | None, holders: int) -> View:
    own = request.caller.permissions
    may_write = role is None or (
        request.may(Permission.ROLES_WRITE) and not role.system and own.issuperset(role.permissions)
    )
    # People can only grant permissions that they have.
    areas = by_area(own if role is None or may_write else role.permissions)
    page = RolePage(role=role, holders=holders, areas=areas, may_write=may_write)
    return View("web/settings_role.html", page, status)


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
        WebPage("GET", PATH, show_grid, Permission.ROLES_READ),
        RECORD.new(),
        RECORD.create(actions.create, form=NewRole),
        RECORD.read(),
        RECORD.change(partial(actions.change, bus), form=RoleChanges),
        RECORD.delete(actions.delete),
    )
