from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Invalid
from steward.kit.domain.wording import counted
from steward.kit.security.permissions import Permission, require_held
from steward.roles.model import BUILT_IN, NewRole, Role, RoleChanges

_GIVE, _CHANGE = "give a role", "change a role with"


def new_role(new: NewRole, held: frozenset[Permission], now: int) -> Role:
    """`held` is what the caller may do; a role can't give more than that."""
    require_held(held, new.permissions, _GIVE)
    permissions = sorted(set(new.permissions))
    return Role(new_id("rol"), new.name, new.description, permissions, False, now, now)


def built_in_roles(now: int) -> list[Role]:
    return [
        Role(new_id("rol"), name, description, sorted(permissions), True, now, now)
        for name, (description, permissions) in BUILT_IN.items()
    ]


def changed_role(old: Role, changes: RoleChanges, held: frozenset[Permission]) -> Role:
    _refuse_built_in(old, "changed")
    # Callers can't take permissions from a role that they don't have themselves.
    require_held(held, old.permissions, _CHANGE)
    new = apply(old, changes)
    require_held(held, new.permissions, _GIVE)
    return replace(new, permissions=sorted(set(new.permissions)))


def check_deletable(role: Role, held: frozenset[Permission], *, holders: int) -> None:
    """A role that users hold stays, so that they don't lose permissions by accident."""
    _refuse_built_in(role, "deleted")
    require_held(held, role.permissions, _CHANGE)
    if holders:
        raise Invalid("roleId", f"{role.name} is still assigned to {counted(holders, 'user', 'users')}")


def _refuse_built_in(role: Role, verb: str) -> None:
    if role.system:
        raise Invalid("roleId", f"{role.name} is a built-in role and can't be {verb}")
