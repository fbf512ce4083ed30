"""People. An account (e-mail and password) may belong to several organizations; name, status and roles are per organization."""

from collections.abc import Collection
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from steward.kit.constraints import Constraints, Taken
from steward.kit.fields import Body, Email, Identifier, Name, Record, Seconds
from steward.kit.problems import Conflict

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
    "memberships_pkey": Taken("This person is a user of the organization already."),
    "users_email_unique": Taken("This e-mail address belongs to another account."),
}


def require_own_account(changes: UserChanges, organizations: int) -> None:
    """E-mail and password open every organization of a person: no single one may change them."""
    if organizations > 1 and (changes.email is not UNSET or changes.password is not UNSET):
        raise Conflict(
            "This account belongs to several organizations; only its holder can change its e-mail address and password."
        )


def require_an_administrator(remaining: Collection[str]) -> None:
    if not remaining:
        raise Conflict("An organization needs at least one active user with the role Administrator.")
