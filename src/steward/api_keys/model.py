"""API keys: how external systems call. The secret is shown once; only its SHA-256 is stored."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.kit.coordination.rate_limiter import Limit
from steward.kit.domain.fields import Body, Name, Record, Seconds
from steward.kit.domain.shared_fields import example_of
from steward.kit.security.permissions import Permission
from steward.organizations.model import Plan

PREFIX = "svc_live_"

CREATION_LIMIT = Limit("key-creation", 10, 3600, "API keys created by the organization")
MAX_ACTIVE = {Plan.PROFESSIONAL: 10}
# How many days of a key's usage are kept.
USAGE_DAYS = 30
MAX_ADDRESSES = 100
MAX_GRACE_SECONDS = 7 * 24 * 3600

ExpiresAt = Annotated[
    Seconds | None,
    Meta(description="From then on the key is refused with 401. Null: it works until it is revoked."),
]
AllowedAddresses = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=50)]],
    Meta(
        description="IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403. "
        "Empty: from anywhere.",
        max_length=MAX_ADDRESSES,
        examples=[["192.0.2.7", "2001:db8::/48"]],
    ),
]
Permissions = Annotated[list[Permission], Meta(max_length=len(Permission))]


class KeyStatus(StrEnum):
    ACTIVE = "active"
    REVOKED = "revoked"


class ApiKey(Record, frozen=True):
    """A key as lists show it."""

    key_id: str
    name: str
    permissions: list[Permission] | None
    key_prefix: str
    status: KeyStatus
    created: Seconds
    created_by: str
    last_used: Seconds | None
    expires_at: ExpiresAt
    allowed_addresses: AllowedAddresses
    old_secret_expires_at: Annotated[
        Seconds | None,
        Meta(description="Until when the secret before the last rotation works; null when there was none."),
    ]


class CreatedApiKey(ApiKey, frozen=True):
    """A key with its new secret, from a creation or a rotation."""

    secret: Annotated[str, Meta(description="Shown here and never again.", min_length=41, max_length=41)]


class ApiKeyUsage(Record, frozen=True):
    total_calls: int
    successful_calls: int
    error_count: int
    success_rate: Annotated[float | None, Meta(description="From 0 to 1; null before the first call.")]


class ApiKeyDetails(ApiKey, frozen=True):
    last_used_ip: str | None
    last_user_agent: str | None
    usage: ApiKeyUsage


class NewApiKey(Body, frozen=True):
    name: Name
    permissions: Annotated[
        Permissions | None,
        Meta(description="None given: everything that its creator may do."),
    ] = None
    expires_at: ExpiresAt = None
    allowed_addresses: AllowedAddresses = []


class ApiKeyChanges(Body, frozen=True):
    name: Name | UnsetType = UNSET
    permissions: (
        Annotated[Permissions, Meta(description="Some of those that the key has; it never gets more.")]
        | UnsetType
    ) = UNSET
    expires_at: ExpiresAt | UnsetType = UNSET
    allowed_addresses: AllowedAddresses | UnsetType | None = UNSET


class ApiKeyRotation(Body, frozen=True):
    grace_seconds: Annotated[
        int,
        Meta(
            description="How long the old secret works beside the new one.",
            ge=0,
            le=MAX_GRACE_SECONDS,
        ),
    ] = 24 * 3600


class KeyBounds(msgspec.Struct, frozen=True):
    """When a key ends and where it works: keys that it creates or changes must stay within that."""

    expires_at: int | None = None
    allowed_addresses: list[str] = []


class FoundKey(msgspec.Struct, frozen=True):
    """A key as found by its secret, before its permissions are resolved."""

    organization_id: str
    id: str
    status: str
    permissions: list[str] | None
    created_by: str
    expires_at: int | None
    allowed_addresses: list[str]
    # Until when the secret in use works; None for the newest.
    secret_until: int | None


class UsageRow(msgspec.Struct):
    """A key's calls since the counters were last written."""

    organization_id: str
    key_id: str
    total: int
    successful: int
    last_used: int
    last_used_ip: str
    last_user_agent: str


class UsageDay(msgspec.Struct, frozen=True):
    """A key's calls on a day, which is counted from 1970 in UTC."""

    day: int
    total: int
    successful: int


EXAMPLE = example_of(
    ApiKey,
    key_id="key_00064a1b2c3d4e5f60718293a4b5",
    name="ERP integration",
    permissions=[Permission.WORK_ORDERS_READ],
    key_prefix="svc_live_Ab3d",
    status=KeyStatus.ACTIVE,
    created_by="usr_00064a1b2c3d4e5f60718293a4b5",
    last_used=1767225600,
    expires_at=1798761600,
    allowed_addresses=["192.0.2.7", "2001:db8::/48"],
)
