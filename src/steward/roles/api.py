from functools import partial

from steward.kit import records
from steward.kit.bus import Announcer
from steward.kit.http.answer import Answer, created, deleted, one, page
from steward.kit.http.resource import Resource
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.page import PageQuery
from steward.kit.permissions import Permission
from steward.roles import actions, queries
from steward.roles.model import NewRole, Role, RoleChanges

_EXAMPLE = Role(
    "rol_00064a1b2c3d4e5f60718293a4b5",
    "Night shift",
    "Sees and closes work orders at night.",
    [Permission.WORK_ORDERS_READ, Permission.WORK_ORDERS_WRITE],
    False,
    1767225600,
    1767225600,
)


async def list_roles(call: Call[NoBody, PageQuery]) -> Answer:
    return page(await queries.LISTING.page(call.db, call.cursors, call.caller.tenant, call.query))


async def read(call: Call[NoBody, NoQuery]) -> Answer:
    return one(await records.get(call.db, queries.ROLES, call.caller.tenant, call.params["roleId"]))


async def create(call: Call[NewRole, NoQuery]) -> Answer:
    role = await actions.create(call.db, call.caller, call.body)
    return created(role, call.location(f"roles/{role.id}"))


async def change(bus: Announcer, call: Call[RoleChanges, NoQuery]) -> Answer:
    role_id = call.params["roleId"]
    return one(
        await actions.change(call.db, bus, call.caller, role_id, changes=call.body, if_match=call.if_match)
    )


async def delete(call: Call[NoBody, NoQuery]) -> Answer:
    await actions.delete(call.db, call.caller, call.params["roleId"], call.if_match)
    return deleted()


_ROLES = Resource(
    tag="Roles",
    path="/organizations/{orgId}/roles",
    id_name="roleId",
    gives=Role,
    example=_EXAMPLE,
    read_permission=Permission.ROLES_READ,
    write_permission=Permission.ROLES_WRITE,
)
_NAME_TAKEN = {409: "A role with this name exists already."}


def routes(bus: Announcer) -> tuple[Route, ...]:
    return (
        _ROLES.list(list_roles, "List roles"),
        _ROLES.create(
            create,
            "Create a role",
            description="Nobody can put permissions into a role that they lack themselves.",
            body=NewRole,
            body_example={"name": "Night shift", "permissions": ["work-orders:read", "work-orders:write"]},
            refusals=_NAME_TAKEN,
        ),
        _ROLES.read(read, "Read a role"),
        _ROLES.change(
            partial(change, bus),
            "Change a role",
            description="Acts on the next request of everybody who holds the role. Built-in roles stay as they are.",
            body=RoleChanges,
            body_example={"description": "Closes work orders at night."},
            refusals=_NAME_TAKEN,
        ),
        _ROLES.delete(
            delete,
            "Delete a role",
            description="Refused (422) for built-in roles and for roles that are still assigned.",
        ),
    )
