import hashlib
import re
import secrets
import string
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from steward.api_keys.model import (
    MAX_ACTIVE,
    PREFIX,
    USAGE_DAYS,
    ApiKey,
    ApiKeyUsage,
    CreatedApiKey,
    KeyStatus,
    NewApiKey,
    UsageDay,
)
from steward.kit.db.partitions import DAY_SECONDS
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Conflict, Forbidden, NotFound
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Permission, missing_permissions
from steward.organizations.model import Plan

_ALPHABET = string.ascii_letters + string.digits
_FORMAT = re.compile(PREFIX + r"[A-Za-z0-9]{32}")
_VISIBLE_LENGTH = 13


def new_api_key(new: NewApiKey, created_by: str, now: int) -> tuple[CreatedApiKey, bytes]:
    """The key with its secret, and the digest of that, which alone is kept."""
    secret = PREFIX + "".join(secrets.choice(_ALPHABET) for _ in range(32))
    key = CreatedApiKey(
        key_id=new_id("key"),
        name=new.name,
        permissions=new.permissions,
        key_prefix=secret[:_VISIBLE_LENGTH],
        status=KeyStatus.ACTIVE,
        created=now,
        created_by=created_by,
        last_used=None,
        secret=secret,
    )
    return key, secret_hash(secret)


def revoked(key: ApiKey) -> ApiKey:
    return replace(key, status=KeyStatus.REVOKED)


def is_well_formed(secret: str) -> bool:
    return _FORMAT.fullmatch(secret) is not None


def secret_hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def versioned_part(key: ApiKey) -> ApiKey:
    """What of a key somebody has decided; its use changes all the time and is no reason to refuse a change."""
    fields = {name: getattr(key, name) for name in ApiKey.__struct_fields__}
    return ApiKey(**{**fields, "last_used": None})


def usage(total: int, successful: int) -> ApiKeyUsage:
    return ApiKeyUsage(total, successful, total - successful, successful / total if total else None)


def usage_chart(used: Iterable[UsageDay], now: int) -> dict[str, Any]:
    """Calls of the last days, for the chart; days without a call among them."""
    by_day = {day.day: day for day in used}
    today = now // DAY_SECONDS
    days = [by_day.get(day, UsageDay(day, 0, 0)) for day in range(today - USAGE_DAYS + 1, today + 1)]
    return {
        "kind": "bar",
        "x": [f"{datetime.fromtimestamp(day.day * DAY_SECONDS, UTC):%-d %b}" for day in days],
        "stacked": True,
        "series": [
            {"name": "Successful", "points": [day.successful for day in days]},
            {"name": "Failed", "points": [day.total - day.successful for day in days], "tone": "red"},
        ],
    }


def grant(new: NewApiKey, who: Caller) -> NewApiKey:
    """With the permissions that the key gets: no more than its creator has.

    None stands for whatever a person may do, now and later. A key hands on no more than it has itself.
    """
    if missing := missing_permissions(new.permissions or (), who.permissions):
        raise Forbidden(f"You can't give a key permissions that you lack: {', '.join(missing)}.")
    permissions = new.permissions
    if permissions is None and who.key is not None:
        permissions = list(who.permissions)
    return replace(new, permissions=None if permissions is None else sorted(set(permissions)))


def require_creator(who: Caller) -> str:
    """The user for whom the key will act."""
    if who.user is None:
        raise Forbidden("Only a user, or a key that a user made, can create API keys.")
    return who.user


def require_room(plan: Plan, active: int) -> None:
    maximum = MAX_ACTIVE.get(plan)
    if maximum is not None and active >= maximum:
        raise Conflict(f"The {plan} plan holds at most {maximum} active API keys; revoke one first.")


def effective_permissions(given: list[str] | None, creator: frozenset[Permission]) -> frozenset[Permission]:
    """A key may do what it was given, as long as its creator may."""
    return (
        creator if given is None else frozenset(permission for permission in creator if permission in given)
    )


def no_such_key() -> NotFound:
    return NotFound("There is no such API key.")
