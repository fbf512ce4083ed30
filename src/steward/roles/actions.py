from msgspec.structs import replace

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Forbidden, Invalid
from steward.kit.domain.versions import Precondition
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Permission, missing_permissions
from steward.roles import queries
from steward.roles.model import NewRole, Role, RoleChanges, distinct, refuse_built_in


async def create(db: Database, who: Caller, new: NewRole, *, now: int) -> Role:
    _may_hand_on(who, new.permissions)
    role = Role(new_id("rol"), new.name, new.description, distinct(new.permissions), False, now, now)
    return await records.create(db, queries.ROLES, who.tenant, role, now=now)


async def change(
    bus: Invalidator,
    db: Database,
    who: Caller,
    role_id: str,
    changes: RoleChanges,
    *,
    precondition: Precondition,
    now: int,
) -> Role:
    def changed(old: Role) -> Role:
        refuse_built_in(old, "changed")
        _may_touch(who, old)
        new = apply(old, changes)
        _may_hand_on(who, new.permissions)
        return replace(new, permissions=distinct(new.permissions))

    async with db.transaction() as tx:
        role = await records.change(
            tx, queries.ROLES, who.tenant, role_id, to=changed, precondition=precondition, now=now
        )
        await bus.invalidate(tx, who.tenant)
        return role


async def delete(db: Database, who: Caller, role_id: str, *, precondition: Precondition, now: int) -> None:
    """A role that somebody holds stays, so that nobody loses permissions by accident."""
    async with db.transaction() as tx:
        holders = await queries.count_holders(tx, who.tenant, role_id)

        def check_deletable(role: Role) -> None:
            refuse_built_in(role, "deleted")
            _may_touch(who, role)
            if holders:
                raise Invalid("roleId", f"{role.name} is still assigned to {holders} user(s)")

        await records.delete(
            tx,
            queries.ROLES,
            who.tenant,
            role_id,
            check_deletable=check_deletable,
            precondition=precondition,
            now=now,
        )


def _may_hand_on(who: Caller, permissions: list[Permission]) -> None:
    if missing := missing_permissions(permissions, who.permissions):
        raise Forbidden(f"You can't give a role permissions that you lack: {', '.join(missing)}.")


def _may_touch(who: Caller, role: Role) -> None:
    """What a role gives to others is nobody's to take who doesn't have it."""
    if missing := missing_permissions(role.permissions, who.permissions):
        raise Forbidden(f"You can't change a role with permissions that you lack: {', '.join(missing)}.")
