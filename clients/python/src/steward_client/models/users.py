"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import ItemError


class CreatedInvitation(Record, kw_only=True):
    id: str
    email: str
    name: str
    role_ids: list[str]
    invited_by: str
    created: int
    """Unix seconds."""
    expires_at: int
    """Unix seconds."""
    link: str
    """Works once. Shown here and never again."""
    mailed: bool
    """Whether the link was also sent to the e-mail address."""


class ErasedUser(Record, kw_only=True):
    id: str
    erased_at: int
    """Unix seconds."""


class Invitation(Record, kw_only=True):
    id: str
    email: str
    name: str
    role_ids: list[str]
    invited_by: str
    created: int
    """Unix seconds."""
    expires_at: int
    """Unix seconds."""


class MembershipsSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    NAME_DESCENDING = "-name"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    NAME = "name"
    UPDATED = "updated"


MembershipsSortLike: TypeAlias = (
    MembershipsSort | Literal["-created", "-name", "-updated", "created", "name", "updated"]
)


class NewInvitation(Model, kw_only=True):
    email: str
    name: str
    role_ids: Sequence[str] | UnsetType = UNSET


class NewUser(Model, kw_only=True):
    email: str
    name: str
    password: str
    role_ids: Sequence[str] | UnsetType = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class ReplacedUser(Model, kw_only=True):
    """`password` is for a new user. Users who exist keep theirs, and every session with it."""

    email: str
    name: str
    password: str | UnsetType | None = UNSET
    role_ids: Sequence[str] | UnsetType = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class UserStatus(OpenEnum):
    ACTIVE = "Active"
    SUSPENDED = "Suspended"


UserStatusLike: TypeAlias = UserStatus | Literal["Active", "Suspended"]


class User(Record, kw_only=True):
    id: str
    email: str
    name: str
    status: UserStatus
    role_ids: list[str]
    external_id: str | None
    metadata: dict[str, Any]
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    erased_at: int | None
    """Since when there is no person behind it; null for everybody else."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class UserChanges(Model, kw_only=True):
    email: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    password: str | UnsetType = UNSET
    role_ids: Sequence[str] | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType | None = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""
    status: UserStatusLike | UnsetType = UNSET


class UserMove(OpenEnum):
    ARCHIVE = "archive"
    RESTORE = "restore"


UserMoveLike: TypeAlias = UserMove | Literal["archive", "restore"]


class UserBatchItem(Model, kw_only=True):
    create: NewUser | Mapping[str, Any] | UnsetType = UNSET
    change: UserChanges | Mapping[str, Any] | UnsetType = UNSET
    replace: ReplacedUser | Mapping[str, Any] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    external_id: str | UnsetType = UNSET
    """What another system calls it; unique within the organization and kind."""
    if_match: str | UnsetType = UNSET
    move: UserMoveLike | UnsetType = UNSET
    body: Mapping[str, Any] | UnsetType = UNSET
    delete: bool | UnsetType = UNSET
    """`true`."""


class UserBatch(Model, kw_only=True):
    items: Sequence[UserBatchItem | Mapping[str, Any]]
    atomic: bool | UnsetType = UNSET


class UserBatchResult(Model, kw_only=True):
    index: int
    status: int
    """What the operation by itself answers."""
    data: User | None
    """Null when it was deleted, too."""
    etag: str | None
    """As in the header, with its quotes. For `ifMatch`."""
    error: ItemError | None


class UserBatchReport(Record, kw_only=True):
    atomic: bool
    succeeded: int
    failed: int
    results: list[UserBatchResult]
