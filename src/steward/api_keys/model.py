"""API keys: how external systems call. The secret is shown once; only its SHA-256 is kept."""

import hashlib
import re
import secrets
import string
from enum import StrEnum
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from steward.kit.domain.fields import Body, Name, Record, Seconds
from steward.kit.domain.problems import Conflict, Forbidden
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Permission, missing_permissions
from steward.kit.security.rate_limiter import Limit
from steward.organizations.model import Plan

PREFIX = "svc_live_"
_ALPHABET = string.ascii_letters + string.digits
_FORMAT = re.compile(PREFIX + r"[A-Za-z0-9]{32}")
_SHOWN = 13

CREATION_LIMIT = Limit("key-creation", 10, 3600, "API keys created by the organization")
MAX_ACTIVE = {Plan.PROFESSIONAL: 10}


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


class CreatedApiKey(ApiKey, frozen=True):
    secret: Annotated[str, Meta(description="Shown here and never again.", min_length=41, max_length=41)]


class Usage(Record, frozen=True):
    total_calls: int
    successful_calls: int
    error_count: int
    success_rate: Annotated[float | None, Meta(description="From 0 to 1; null before the first call.")]


class ApiKeyDetails(ApiKey, frozen=True):
    last_used_ip: str | None
    last_user_agent: str | None
    usage: Usage


def version(key: ApiKey) -> ApiKey:
    """What of a key somebody has decided; its use changes all the time and is no reason to refuse a change."""
    fields = {name: getattr(key, name) for name in ApiKey.__struct_fields__}
    return ApiKey(**{**fields, "last_used": None})


class NewApiKey(Body, frozen=True):
    name: Name
    permissions: Annotated[
        Annotated[list[Permission], Meta(max_length=len(Permission))] | None,
        Meta(description="None given: everything that its creator may do."),
    ] = None


def new_secret() -> str:
    return PREFIX + "".join(secrets.choice(_ALPHABET) for _ in range(32))


def well_formed(secret: str) -> bool:
    return _FORMAT.fullmatch(secret) is not None


def secret_hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def shown_prefix(secret: str) -> str:
    return secret[:_SHOWN]


def usage(total: int, successful: int) -> Usage:
    return Usage(total, successful, total - successful, successful / total if total else None)


def require_held(who: Caller, permissions: list[Permission] | None) -> None:
    if missing := missing_permissions(permissions or (), who.permissions):
        raise Forbidden(f"You can't give a key permissions that you lack: {', '.join(missing)}.")


def granted(who: Caller, permissions: list[Permission] | None) -> list[Permission] | None:
    """None stands for whatever a person may do, now and later. A key hands on no more than it has itself."""
    if permissions is None and who.key is not None:
        permissions = list(who.permissions)
    return None if permissions is None else sorted(set(permissions))


def require_room(plan: Plan, active: int) -> None:
    most = MAX_ACTIVE.get(plan)
    if most is not None and active >= most:
        raise Conflict(f"The {plan} plan holds at most {most} active API keys; revoke one first.")


def revoked(key: ApiKey) -> ApiKey:
    return replace(key, status=KeyStatus.REVOKED)
