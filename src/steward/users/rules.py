from collections.abc import Collection, Iterable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.domain.archiving import archived, is_archived, restored
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import differing, given
from steward.kit.domain.problems import Conflict, Invalid, NotFound
from steward.kit.domain.shared_fields import made_from
from steward.users.model import NewUser, ReplacedUser, User, UserChanges, UserStatus


def new_user(
    *,
    email: str,
    name: str,
    role_ids: Iterable[str],
    now: int,
    external_id: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> User:
    return User(
        id=new_id("usr"),
        email=email,
        name=name,
        status=UserStatus.ACTIVE,
        role_ids=distinct(role_ids),
        external_id=external_id,
        metadata=metadata or {},
        archived_at=None,
        erased_at=None,
        created=now,
        updated=now,
    )


def changed_user(old: User, changes: UserChanges) -> User:
    """All but the password, which is the account's."""
    fields = given(changes)
    fields.pop("password", None)
    if "role_ids" in fields:
        fields["role_ids"] = distinct(fields["role_ids"])
    new = replace(old, **fields)
    if new != old:
        refuse_erased(old)
    if is_archived(new) and new.status != UserStatus.SUSPENDED:
        raise Conflict("Somebody who is archived stays Suspended; restore them first.")
    return new


def archived_user(old: User, now: int) -> User:
    """An archived user is suspended, and stays so after being restored."""
    return old if is_archived(old) else replace(archived(old, now), status=UserStatus.SUSPENDED)


def restored_user(old: User) -> User:
    refuse_erased(old)
    return restored(old)


def refuse_erased(user: User) -> None:
    if user.erased_at is not None:
        raise Conflict("This person has been erased and stays so; add them anew.")


def new_of(body: ReplacedUser) -> NewUser:
    if body.password is None:
        raise Invalid("password", "is required for a user who isn't there yet")
    return made_from(NewUser, body)


def replacement(old: User, new: ReplacedUser) -> UserChanges:
    """Only the holder may set the password."""
    return differing(UserChanges, old, replace(new, role_ids=distinct(new.role_ids), password=UNSET))


def distinct(role_ids: Iterable[str]) -> list[str]:
    return sorted(set(role_ids))


def require_managed_account(changes: UserChanges, *, managed: bool) -> None:
    """The holder decides on e-mail and password, unless the organization manages the account."""
    if not managed and (changes.email is not UNSET or changes.password is not UNSET):
        raise Conflict("Only the holder of this account can change its e-mail address and password.")


def require_an_administrator(remaining: Collection[str]) -> None:
    if not remaining:
        raise Conflict("An organization needs at least one active user with the role Administrator.")


def no_such_user() -> NotFound:
    return NotFound("There is no such user.")
