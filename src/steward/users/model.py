"""People.

A user is a person's membership in an organization: e-mail, name, status and roles. The account behind it is a
login.
"""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain.archiving import NOT_TAKEN, register_archivable
from steward.kit.domain.fields import (
    ArchivedAt,
    Body,
    Email,
    ExternalId,
    Identifier,
    Metadata,
    Name,
    Record,
    Seconds,
)
from steward.kit.domain.list_query import Archived, Several, SortedPageQuery, UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of, same_fields

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
    external_id: str | None
    metadata: dict[str, Any]
    archived_at: ArchivedAt
    erased_at: Annotated[
        Seconds | None, Meta(description="Since when there is no person behind it; null for everybody else.")
    ]
    created: Seconds
    updated: Seconds


class ErasedUser(Record, frozen=True):
    id: str
    erased_at: Seconds


class NewUser(Body, frozen=True):
    not_taken = NOT_TAKEN

    email: Email
    name: Name
    password: Password
    role_ids: RoleIds = []
    external_id: ExternalId | None = None
    metadata: Metadata = {}


@changes_of(NewUser)
class UserChanges(Body, frozen=True):
    not_taken = NOT_TAKEN

    email: Email | UnsetType = UNSET
    password: Password | UnsetType = UNSET
    status: UserStatus | UnsetType = UNSET


@same_fields(NewUser)
class ReplacedUser(Body, frozen=True):
    """`password` is for a new user. Users who exist keep theirs, and every session with it."""

    password: Password | None = None
    role_ids: RoleIds = []


register_archivable("user")

CONSTRAINTS: Constraints = {
    "memberships_external_id_unique": Taken("A user with this externalId exists already."),
    "memberships_email_unique": Taken("A user of the organization has this e-mail address already."),
    "memberships_account_unique": Taken("This account belongs to the organization already."),
    "invitation_roles_role": Reference("roleIds", "role", "invitations"),
}

EXAMPLE = example_of(
    User,
    id="usr_00064a1b2c3d4e5f60718293a4b5",
    email="ada@example.com",
    name="Ada Byron",
    status=UserStatus.ACTIVE,
    role_ids=["rol_00064a1b2c3d4e5f60718293a4b5"],
    external_id="HR-1815",
    metadata={"department": "Maintenance"},
)


class UserQuery(SortedPageQuery, frozen=True):
    status: Several[UserStatus] | None = None
    email: Annotated[Email | None, Meta(description="In upper or lower case.")] = None
    external_id: ExternalId | None = None
    updated_after: UpdatedAfter = None
    archived: Archived = False
    q: Annotated[str | None, Meta(description="Words to be found in name or e-mail address.")] = None
