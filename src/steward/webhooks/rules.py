from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import given
from steward.kit.domain.problems import Conflict, Forbidden
from steward.kit.domain.shared_fields import made_from
from steward.kit.events.visibility import Held, hidden_types, needed_permissions
from steward.kit.security.permissions import ALL_PERMISSIONS
from steward.organizations.model import PLAN_REQUIRED, Plan
from steward.webhooks.model import (
    MAX_OLD_SECRETS,
    MAX_WEBHOOKS,
    NewWebhook,
    StoredWebhook,
    Webhook,
    WebhookChanges,
    WebhookStatus,
    WebhookWithSecret,
)
from steward.webhooks.signing import Secret
from steward.webhooks.subscription import Criteria, Filtering, subscribed_types


def public(stored: StoredWebhook) -> Webhook:
    return made_from(Webhook, stored, filtering=_filtering(stored))


def public_with_secret(stored: StoredWebhook, secret: str) -> WebhookWithSecret:
    return made_from(WebhookWithSecret, stored, filtering=_filtering(stored), signing_secret=secret)


def without_secret(made: WebhookWithSecret) -> Webhook:
    """The basis of the validator, which must equal that of a later read."""
    return made_from(Webhook, made)


def _filtering(stored: StoredWebhook) -> Filtering | None:
    if stored.filter_mode is None:
        return None
    criteria = msgspec.convert(stored.filter_criteria, Criteria)
    return Filtering(mode=stored.filter_mode, criteria=criteria, include_descendants=stored.filter_descends)


def new_webhook(new: NewWebhook, held: Held, secret: str, sealed: bytes, now_ms: int) -> StoredWebhook:
    """`held` are the maker's permissions."""
    return made_from(
        StoredWebhook,
        new,
        id=new_id("whk"),
        status=WebhookStatus.ACTIVE,
        secrets=sealed,
        secret_last_four=secret[-4:],
        created_at=now_ms,
        updated_at=now_ms,
        **_types(new.events, held),
        **_filter_columns(new.filtering),
    )


def changed(old: StoredWebhook, changes: WebhookChanges, held: Held, now_ms: int) -> StoredWebhook:
    """`held` are the caller's permissions."""
    values = given(changes)
    if "events" in values:
        values |= _types(values["events"], held)
    if "filtering" in values:
        values |= _filter_columns(values.pop("filtering"))
    status = WebhookStatus(values.pop("status", old.status))
    if status != old.status:
        values |= {"status": status, "disabled_reason": None}
    # Failures of another address, or from before it was reactivated, don't count any more.
    if status != old.status or values.get("url", old.url) != old.url:
        values |= {"failing_since": None, "failed_attempts": 0}
    new = replace(old, **values)
    if new.url != old.url:
        _require_readable(new, held)
    return old if new == old else replace(new, updated_at=now_ms)


def _types(patterns: list[str], held: Held) -> dict[str, Any]:
    """403 for a pattern without a readable type."""
    everything = held >= ALL_PERMISSIONS
    return {
        "events": patterns,
        "types": subscribed_types(patterns, held),
        "maker_permissions": None if everything else sorted(held),
    }


def _require_readable(webhook: StoredWebhook, held: Held) -> None:
    """403 for a caller who would send events that they may not read to another address."""
    if hidden := hidden_types(webhook.types, held):
        needed = " and ".join(needed_permissions(hidden))
        raise Forbidden(
            f"Forbidden: the webhook is sent {', '.join(hidden)}. Giving it another url needs the permission {needed}, or a "
            "change of its events to those that you may read."
        )


def maker_permissions(webhook: StoredWebhook) -> Held:
    if webhook.maker_permissions is None:
        return ALL_PERMISSIONS
    return ALL_PERMISSIONS & frozenset(webhook.maker_permissions)


def _filter_columns(filtering: Filtering | None) -> dict[str, Any]:
    if filtering is None:
        return {"filter_mode": None, "filter_criteria": None, "filter_descends": False}
    return {
        "filter_mode": filtering.mode,
        "filter_criteria": msgspec.to_builtins(filtering.criteria),
        "filter_descends": filtering.include_descendants,
    }


def disabled(old: StoredWebhook, reason: str, now_ms: int) -> StoredWebhook:
    return replace(old, status=WebhookStatus.DISABLED, disabled_reason=reason, updated_at=now_ms)


def require_room(count: int) -> None:
    if count >= MAX_WEBHOOKS:
        raise Conflict(f"An organization has at most {MAX_WEBHOOKS} webhooks; delete one first.")


def require_plan(plan: str) -> None:
    """403 for an organization without an API, whose webhooks can only be read, paused and deleted."""
    if not Plan(plan).includes_api:
        raise Forbidden(PLAN_REQUIRED)


def rotated(old: Sequence[Secret], secret: str, grace_seconds: int, now_ms: int) -> list[Secret]:
    """The new one, and before it those that still sign: none of them for longer than the grace given now."""
    end = now_ms + grace_seconds * 1000
    ending = [replace(one, until=end if one.until is None else min(one.until, end)) for one in old]
    live = [one for one in ending if one.until is not None and one.until > now_ms]
    if len(live) > MAX_OLD_SECRETS:
        raise Conflict(
            f"{MAX_OLD_SECRETS} older secrets are still in their grace; wait for one to end, or end all with "
            "graceSeconds 0."
        )
    return [Secret(secret), *live]


def with_secrets(old: StoredWebhook, newest: str, sealed: bytes, now_ms: int) -> StoredWebhook:
    """`sealed` are all that sign from now on, the newest among them."""
    return replace(old, secrets=sealed, secret_last_four=newest[-4:], updated_at=now_ms)


def require_active(status: WebhookStatus) -> None:
    """409 for a webhook without deliveries."""
    if status != WebhookStatus.ACTIVE:
        raise Conflict(f"The webhook is {status}; set its status to active first.")
