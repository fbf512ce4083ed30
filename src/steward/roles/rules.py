from collections.abc import Iterable

from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Forbidden, Invalid
from steward.kit.domain.wording import counted
from steward.kit.security.permissions import Permission, missing_permissions
from steward.roles.model import BUILT_IN, NewRole, Role, RoleChanges


def new_role(new: NewRole, held: frozenset[Permission], now: int) -> Role:
    """`held` is what the caller may do; a role can't give more than that."""
    _require_grantable(new.permissions, held)
    permissions = sorted(set(new.permissions))
    return Role(new_id("rol"), new.name, new.description, permissions, False, now, now)


def built_in_roles(now: int) -> list[Role]:
    return [
        Role(new_id("rol"), name, description, sorted(permissions), True, now, now)
        for name, (description, permissions) in BUILT_IN.items()
    ]


def changed_role(old: Role, changes: RoleChanges, held: frozenset[Permission]) -> Role:
    _refuse_built_in(old, "changed")
    _require_held(old, held)
    new = apply(old, changes)
    _require_grantable(new.permissions, held)
    return replace(new, permissions=sorted(set(new.permissions)))


def check_deletable(role: Role, held: frozenset[Permission], *, holders: int) -> None:
    """A role that users hold stays, so that they don't lose permissions by accident."""
    _refuse_built_in(role, "deleted")
    _require_held(role, held)
    if holders:
        raise Invalid("roleId", f"{role.name} is still assigned to {counted(holders, 'user', 'users')}")


def _refuse_built_in(role: Role, verb: str) -> None:
    if role.system:
        raise Invalid("roleId", f"{role.name} is a built-in role and can't be {verb}")


def _require_grantable(permissions: Iterable[Permission], held: frozenset[Permission]) -> None:
    if missing := missing_permissions(permissions, held):
        raise Forbidden(f"You can't give a role permissions that you lack: {', '.join(missing)}.")


def _require_held(role: Role, held: frozenset[Permission]) -> None:
    """Callers can't take permissions from a role that they don't have themselves."""
    if missing := missing_permissions(role.permissions, held):
        raise Forbidden(f"You can't change a role with permissions that you lack: {', '.join(missing)}.")
