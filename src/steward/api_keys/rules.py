import hashlib
import re
import secrets
import string
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from steward.api_keys.bounds import check_bounds
from steward.api_keys.model import (
    MAX_ACTIVE,
    PREFIX,
    USAGE_DAYS,
    ApiKey,
    ApiKeyChanges,
    ApiKeyUsage,
    CreatedApiKey,
    FoundKey,
    KeyStatus,
    NewApiKey,
    UsageDay,
)
from steward.kit.db.partitions import DAY_SECONDS
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import given
from steward.kit.domain.problems import Conflict, Forbidden, Invalid, NotFound
from steward.kit.domain.shared_fields import made_from
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Permission, missing_permissions, require_held
from steward.organizations.model import Plan

_ALPHABET = string.ascii_letters + string.digits
_FORMAT = re.compile(PREFIX + r"[A-Za-z0-9]{32}")
_VISIBLE_LENGTH = 13


def new_secret() -> str:
    return PREFIX + "".join(secrets.choice(_ALPHABET) for _ in range(32))


def new_api_key(new: NewApiKey, created_by: str, now: int) -> tuple[CreatedApiKey, bytes]:
    """The key with its secret, and the secret's digest, which alone is stored."""
    secret = new_secret()
    key = made_from(
        CreatedApiKey,
        new,
        key_id=new_id("key"),
        key_prefix=secret[:_VISIBLE_LENGTH],
        status=KeyStatus.ACTIVE,
        created=now,
        created_by=created_by,
        secret=secret,
    )
    return key, secret_hash(secret)


def rotated(key: ApiKey, grace_seconds: int, now: int) -> tuple[CreatedApiKey, bytes]:
    """The key with another secret, and its digest. At most two secrets work at the same time."""
    if is_over(key, now):
        raise Conflict("This API key has expired; give it another expiresAt first.")
    old_until = key.old_secret_expires_at
    if grace_seconds and old_until is not None and old_until > now:
        raise Conflict(
            f"The secret before this one still works, until {old_until}; "
            "wait for that, or rotate with graceSeconds 0, which ends both."
        )
    secret = new_secret()
    new = made_from(
        CreatedApiKey,
        key,
        key_prefix=secret[:_VISIBLE_LENGTH],
        old_secret_expires_at=now + grace_seconds,
        secret=secret,
    )
    return new, secret_hash(secret)


def without_secret(key: ApiKey) -> ApiKey:
    return made_from(ApiKey, key)


def changed(
    key: ApiKey, changes: ApiKeyChanges, who: Caller, held: frozenset[Permission], now: int
) -> ApiKey:
    """`held` is what its creator may do: the permissions of a key without permissions of its own."""
    fields = given(changes)
    if "permissions" in fields:
        fields["permissions"] = sorted(set(fields["permissions"]))
        if more := missing_permissions(fields["permissions"], _own(key, held)):
            raise Invalid("permissions", f"can only be narrowed; the key doesn't have {', '.join(more)}")
    if "allowed_addresses" in fields:
        fields["allowed_addresses"] = check_bounds(changes, now)
    require_held(who.permissions, fields.get("permissions") or (), "give a key")
    return replace(key, **fields)


def is_over(key: ApiKey, now: int) -> bool:
    return key.expires_at is not None and key.expires_at <= now


def require_changeable(key: ApiKey) -> None:
    if key.status == KeyStatus.REVOKED:
        raise Conflict("This API key has been revoked; nothing of it can be changed any more.")


def may_change(key: ApiKey, who: Caller, held: frozenset[Permission]) -> bool:
    return key.status == KeyStatus.ACTIVE and not missing_permissions(_own(key, held), who.permissions)


def require_less(key: ApiKey, who: Caller, held: frozenset[Permission]) -> None:
    """Callers can't change a key with more permissions than they have; `held` is what its creator may do."""
    require_held(who.permissions, _own(key, held), "change a key with")


def _own(key: ApiKey, held: frozenset[Permission]) -> frozenset[Permission]:
    return held if key.permissions is None else frozenset(key.permissions)


def is_holder(key: ApiKey, who: Caller) -> bool:
    """A key acts as its creator, so only the creator, and callers who may act for others, get its secret."""
    return who.user == key.created_by or Permission.USERS_ACT_AS in who.permissions


def require_holder(key: ApiKey, who: Caller) -> None:
    if not is_holder(key, who):
        raise Forbidden(
            "Only the person who made this key can rotate it, or somebody with the permission "
            f"{Permission.USERS_ACT_AS}: the secret lets its holder act in their name."
        )


def revoked(key: ApiKey) -> ApiKey:
    return replace(key, status=KeyStatus.REVOKED)


def is_well_formed(secret: str) -> bool:
    return _FORMAT.fullmatch(secret) is not None


def secret_hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def versioned_part(key: ApiKey) -> ApiKey:
    """A key without its last use, which changes all the time and is no reason to refuse a change."""
    return made_from(ApiKey, key, last_used=None)


def usage(total: int, successful: int) -> ApiKeyUsage:
    return ApiKeyUsage(total, successful, total - successful, successful / total if total else None)


def usage_chart(used: Iterable[UsageDay], now: int) -> dict[str, Any]:
    """Calls of the last days, for the chart, including days without a call."""
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


def require_creator(who: Caller) -> str:
    """The user whom the key acts for."""
    if who.user is None:
        raise Forbidden("Only a user, or a key that a user made, can create API keys.")
    return who.user


def require_room(plan: Plan, active: int) -> None:
    maximum = MAX_ACTIVE.get(plan)
    if maximum is not None and active >= maximum:
        raise Conflict(f"The {plan} plan holds at most {maximum} active API keys; revoke one first.")


def end_of(key: FoundKey) -> tuple[int | None, str]:
    """When the secret in use expires, and the message of the refusal after that."""
    ends = [
        (until, said)
        for until, said in (
            (key.expires_at, "API key has expired"),
            (key.secret_until, "API key has another secret since it was rotated"),
        )
        if until is not None
    ]
    return min(ends, default=(None, ""))


def no_such_key() -> NotFound:
    return NotFound("There is no such API key.")
