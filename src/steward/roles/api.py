from functools import partial

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission
from steward.roles import actions, queries
from steward.roles.model import EXAMPLE, NewRole, RoleChanges, RoleQuery

_ROLES = Resource(
    path="/organizations/{orgId}/roles",
    example=EXAMPLE,
    table=queries.ROLES,
    listing=queries.LISTING,
    query=RoleQuery,
    read_permission=Permission.ROLES_READ,
    write_permission=Permission.ROLES_WRITE,
)
_NAME_TAKEN = {409: "A role with this name exists already."}


def routes(bus: Invalidator) -> tuple[Route, ...]:
    return (
        *_ROLES.reads(),
        _ROLES.create(
            actions.create,
            NewRole,
            description="Callers can't grant permissions that they lack.",
            body_example={"name": "Night shift", "permissions": ["work-orders:read", "work-orders:write"]},
            refusals=_NAME_TAKEN,
        ),
        _ROLES.change(
            partial(actions.change, bus),
            RoleChanges,
            description="Acts on the next request of everybody who holds the role. Built-in roles stay as they are, and "
            "callers can't change a role with permissions that they lack.",
            body_example={"description": "Closes work orders at night."},
            refusals=_NAME_TAKEN,
        ),
        _ROLES.delete(
            actions.delete,
            description="Refused (422) for built-in roles and for roles that are still assigned. "
            "Callers can't delete a role with permissions that they lack.",
        ),
    )
