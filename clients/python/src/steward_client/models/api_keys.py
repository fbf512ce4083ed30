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
    expires_at: int | None
    """From then on the key is refused with 401. Null: it works until it is revoked."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403.
    Empty: from anywhere.
    """
    old_secret_expires_at: int | None
    """Until when the secret before the last rotation works; null when there was none."""


class ApiKeyChanges(Model, kw_only=True):
    name: str | UnsetType = UNSET
    permissions: Sequence[PermissionLike] | UnsetType = UNSET
    """Some of those that the key has; it never gets more."""
    expires_at: int | UnsetType | None = UNSET
    """From then on the key is refused with 401. Null: it works until it is revoked."""
    allowed_addresses: Sequence[str] | UnsetType | None = UNSET
    """IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403.
    Empty: from anywhere.
    """


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
    expires_at: int | None
    """From then on the key is refused with 401. Null: it works until it is revoked."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403.
    Empty: from anywhere.
    """
    old_secret_expires_at: int | None
    """Until when the secret before the last rotation works; null when there was none."""
    last_used_ip: str | None
    last_user_agent: str | None
    usage: ApiKeyUsage


class ApiKeyRotation(Model, kw_only=True):
    grace_seconds: int | UnsetType = UNSET
    """How long the old secret works beside the new one."""


class CreatedApiKey(Record, kw_only=True):
    """A key with its new secret, from a creation or a rotation."""

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
    expires_at: int | None
    """From then on the key is refused with 401. Null: it works until it is revoked."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403.
    Empty: from anywhere.
    """
    old_secret_expires_at: int | None
    """Until when the secret before the last rotation works; null when there was none."""
    secret: str
    """Shown here and never again."""


class NewApiKey(Model, kw_only=True):
    name: str
    permissions: Sequence[PermissionLike] | UnsetType | None = UNSET
    """None given: everything that its creator may do."""
    expires_at: int | UnsetType | None = UNSET
    """From then on the key is refused with 401. Null: it works until it is revoked."""
    allowed_addresses: Sequence[str] | UnsetType = UNSET
    """IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403.
    Empty: from anywhere.
    """
