"""People. A user is a person's place in an organization: e-mail, name, status and roles. The account behind it is a login."""

from collections.abc import Collection
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain.fields import Body, Email, Identifier, Name, Record, Seconds
from steward.kit.domain.problems import Conflict, Forbidden
from steward.kit.security.permissions import Permission, missing_permissions

Password = Annotated[str, Meta(min_length=8, max_length=200, examples=["correct horse battery staple"])]
RoleIds = Annotated[list[Identifier], Meta(max_length=20)]


class UserStatus(StrEnum):
    ACTIVE = "Active"
    SUSPENDED = "Suspended"


class User(Record, frozen=True):
    id: str
    email: str
    name: str
    status: UserStatus
    role_ids: list[str]
    created: Seconds
    updated: Seconds


class Account(msgspec.Struct, frozen=True):
    """A login. It may open several organizations, as a user in each."""

    id: str
    email: str
    password_hash: str
    # Grows with every new password; what was made in an earlier one is over.
    generation: int
    # Chosen by the holder, so that nobody else knows it.
    own_password: bool
    # The password was hashed for another address, with the salt of that one.
    renamed: bool


class NewUser(Body, frozen=True):
    email: Email
    name: Name
    password: Password
    role_ids: RoleIds = []


class UserChanges(Body, frozen=True):
    email: Email | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    password: Password | UnsetType = UNSET
    status: UserStatus | UnsetType = UNSET
    role_ids: RoleIds | UnsetType = UNSET


CONSTRAINTS: Constraints = {
    "memberships_email_unique": Taken("A user of the organization has this e-mail address already."),
    "memberships_account_unique": Taken("This account belongs to the organization already."),
    "invitation_roles_role": Reference("roleIds", "role", "invitations"),
}


def require_own_account(changes: UserChanges, *, made_account: bool, organizations: int) -> None:
    """An organization decides on e-mail and password of an account that it made, while that opens nothing else."""
    wanted = changes.email is not UNSET or changes.password is not UNSET
    if wanted and (organizations > 1 or not made_account):
        raise Conflict("Only the holder of this account can change its e-mail address and password.")


def require_an_administrator(remaining: Collection[str]) -> None:
    if not remaining:
        raise Conflict("An organization needs at least one active user with the role Administrator.")


def require_held(held: frozenset[Permission], wanted: Collection[Permission], what: str) -> None:
    """Nobody makes anybody more powerful than they are themselves, and nobody touches whoever may do more."""
    if missing := missing_permissions(wanted, held):
        raise Forbidden(f"You can't {what} with permissions that you lack: {', '.join(missing)}.")
