from functools import partial

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission
from steward.roles import actions, queries
from steward.roles.model import EXAMPLE, NewRole, Role, RoleChanges, RoleQuery

_ROLES = Resource(
    tag="Roles",
    path="/organizations/{orgId}/roles",
    id_name="roleId",
    gives=Role,
    example=EXAMPLE,
    table=queries.ROLES,
    listing=queries.LISTING,
    read_permission=Permission.ROLES_READ,
    write_permission=Permission.ROLES_WRITE,
)
_NAME_TAKEN = {409: "A role with this name exists already."}


def routes(bus: Invalidator) -> tuple[Route, ...]:
    return (
        _ROLES.list("listRoles", "List roles", query=RoleQuery),
        *_ROLES.exports("exportRoles", "roles", query=RoleQuery),
        _ROLES.create(
            actions.create,
            "createRole",
            "Create a role",
            description="Callers can't grant permissions that they lack.",
            body=NewRole,
            body_example={"name": "Night shift", "permissions": ["work-orders:read", "work-orders:write"]},
            refusals=_NAME_TAKEN,
        ),
        _ROLES.read("readRole", "Read a role"),
        _ROLES.change(
            partial(actions.change, bus),
            "changeRole",
            "Change a role",
            description="Acts on the next request of everybody who holds the role. Built-in roles stay as they are, and "
            "callers can't change a role with permissions that they lack.",
            body=RoleChanges,
            body_example={"description": "Closes work orders at night."},
            refusals=_NAME_TAKEN,
        ),
        _ROLES.delete(
            actions.delete,
            "deleteRole",
            "Delete a role",
            description="Refused (422) for built-in roles and for roles that are still assigned. "
            "Callers can't delete a role with permissions that they lack.",
        ),
    )
