from collections.abc import Collection, Iterable

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import given
from steward.kit.domain.problems import Conflict, Forbidden, NotFound
from steward.kit.security.permissions import Permission, missing_permissions
from steward.users.model import User, UserChanges, UserStatus


def new_user(*, email: str, name: str, role_ids: Iterable[str], now: int) -> User:
    return User(
        id=new_id("usr"),
        email=email,
        name=name,
        status=UserStatus.ACTIVE,
        role_ids=distinct(role_ids),
        created=now,
        updated=now,
    )


def changed_user(old: User, changes: UserChanges) -> User:
    """All but the password, which is the account's."""
    fields = given(changes)
    fields.pop("password", None)
    if "role_ids" in fields:
        fields["role_ids"] = distinct(fields["role_ids"])
    return replace(old, **fields)


def distinct(role_ids: Iterable[str]) -> list[str]:
    return sorted(set(role_ids))


def require_managed_account(changes: UserChanges, *, managed: bool) -> None:
    """E-mail and password are the holder's own, unless the organization manages the account."""
    if not managed and (changes.email is not UNSET or changes.password is not UNSET):
        raise Conflict("Only the holder of this account can change its e-mail address and password.")


def require_an_administrator(remaining: Collection[str]) -> None:
    if not remaining:
        raise Conflict("An organization needs at least one active user with the role Administrator.")


def require_held(held: frozenset[Permission], wanted: Collection[Permission], what: str) -> None:
    """Nobody makes anybody more powerful than they are themselves, and nobody touches whoever may do more."""
    if missing := missing_permissions(wanted, held):
        raise Forbidden(f"You can't {what} with permissions that you lack: {', '.join(missing)}.")


def no_such_user() -> NotFound:
    return NotFound("There is no such user.")
