"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import Permission, PermissionLike


class KeyStatus(OpenEnum):
    ACTIVE = "active"
    REVOKED = "revoked"


KeyStatusLike: TypeAlias = KeyStatus | Literal["active", "revoked"]


class ApiKey(Record, kw_only=True):
    """A key as lists show it."""

    key_id: str
    name: str
    permissions: list[Permission] | None
    key_prefix: str
    status: KeyStatus
    created: int
    """Unix seconds."""
    created_by: str
    last_used: int | None
    """Unix seconds."""


class ApiKeyUsage(Model, kw_only=True):
    total_calls: int
    successful_calls: int
    error_count: int
    success_rate: float | None
    """From 0 to 1; null before the first call."""


class ApiKeyDetails(Record, kw_only=True):
    key_id: str
    name: str
    permissions: list[Permission] | None
    key_prefix: str
    status: KeyStatus
    created: int
    """Unix seconds."""
    created_by: str
    last_used: int | None
    """Unix seconds."""
    last_used_ip: str | None
    last_user_agent: str | None
    usage: ApiKeyUsage


class CreatedApiKey(Record, kw_only=True):
    key_id: str
    name: str
    permissions: list[Permission] | None
    key_prefix: str
    status: KeyStatus
    created: int
    """Unix seconds."""
    created_by: str
    last_used: int | None
    """Unix seconds."""
    secret: str
    """Shown here and never again."""


class NewApiKey(Model, kw_only=True):
    name: str
    permissions: Sequence[PermissionLike] | UnsetType | None = UNSET
    """None given: everything that its creator may do."""
