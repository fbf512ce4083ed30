"""Webhooks: where to send, what, and whether at the moment."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, field
from msgspec.structs import asdict, replace

from steward.kit.domain.fields import Body, Record
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import given
from steward.kit.domain.problems import Conflict
from steward.webhooks.signing import Secret
from steward.webhooks.subscription import Criteria, Filtering, FilterMode, Patterns, expand

MAX_WEBHOOKS = 50
MAX_OLD_SECRETS = 10
MAX_GRACE_SECONDS = 7 * 24 * 3600

Url = Annotated[
    str,
    Meta(
        description="https, without user name or password, at a public address.",
        min_length=1,
        max_length=2048,
        examples=["https://hooks.example.com/steward"],
    ),
]
Description = Annotated[str, Meta(max_length=1000)]
Milliseconds = Annotated[int, Meta(description="Unix milliseconds.", ge=0, examples=[1767225600000])]


class WebhookStatus(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    DISABLED = "disabled"


class Webhook(Record, frozen=True):
    """What is shown."""

    id: str = field(name="webhookId")
    url: str
    events: list[str]
    description: str | None
    filtering: Filtering | None
    status: Annotated[
        WebhookStatus, Meta(description="`paused` by you, `disabled` by us; events meanwhile are skipped.")
    ]
    created_at: Milliseconds
    updated_at: Milliseconds
    disabled_reason: str | None
    secret_last_four: Annotated[str, Meta(description="The end of the newest signing secret.")]


class WebhookWithSecret(Webhook, frozen=True):
    signing_secret: Annotated[str, Meta(description="Shown here and never again.")]


class StoredWebhook(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept. The engine writes the last three, and the status when it gives up."""

    id: str
    url: str
    events: list[str]
    types: list[str]
    description: str | None
    filter_mode: FilterMode | None
    filter_criteria: dict[str, Any] | None
    status: WebhookStatus
    disabled_reason: str | None
    secrets: bytes
    secret_last_four: str
    created_at: int
    updated_at: int
    last_success_at: int | None = None
    failing_since: int | None = None
    failed_attempts: int = 0


class NewWebhook(Body, frozen=True):
    url: Url
    events: Patterns
    description: Description | None = None
    filtering: Filtering | None = None


class WebhookChanges(Body, frozen=True):
    url: Url | UnsetType = UNSET
    events: Patterns | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    filtering: Filtering | UnsetType | None = UNSET
    status: (
        Annotated[
            Literal["active", "paused"], Meta(description="`active` also takes a disabled webhook back.")
        ]
        | UnsetType
    ) = UNSET


class Rotation(Body, frozen=True):
    grace_seconds: Annotated[
        int,
        Meta(
            description="How long older secrets go on signing beside the new one.",
            ge=0,
            le=MAX_GRACE_SECONDS,
        ),
    ] = 24 * 3600


class SentTest(Record, frozen=True):
    event_id: str
    delivery_id: str


def shown(stored: StoredWebhook) -> Webhook:
    return Webhook(**_public(stored))


def shown_with_secret(stored: StoredWebhook, secret: str) -> WebhookWithSecret:
    return WebhookWithSecret(**_public(stored), signing_secret=secret)


def without_secret(made: WebhookWithSecret) -> Webhook:
    """What the validator is made of: it has to be that of the webhook as it is read later."""
    return Webhook(*(getattr(made, name) for name in Webhook.__struct_fields__))


def _public(stored: StoredWebhook) -> dict[str, Any]:
    own = {name: value for name, value in asdict(stored).items() if name in Webhook.__struct_fields__}
    if stored.filter_mode is None:
        return {**own, "filtering": None}
    criteria = msgspec.convert(stored.filter_criteria, Criteria)
    return {**own, "filtering": Filtering(mode=stored.filter_mode, criteria=criteria)}


def new_webhook(new: NewWebhook, secret: str, sealed: bytes, now_ms: int) -> StoredWebhook:
    return StoredWebhook(
        id=new_id("whk"),
        url=new.url,
        description=new.description,
        status=WebhookStatus.ACTIVE,
        disabled_reason=None,
        secrets=sealed,
        secret_last_four=secret[-4:],
        created_at=now_ms,
        updated_at=now_ms,
        **_wanted(new.events),
        **_filter(new.filtering),
    )


def changed(old: StoredWebhook, changes: WebhookChanges, now_ms: int) -> StoredWebhook:
    values = given(changes)
    if "events" in values:
        values |= _wanted(values["events"])
    if "filtering" in values:
        values |= _filter(values.pop("filtering"))
    status = WebhookStatus(values.pop("status", old.status))
    if status != old.status:
        values |= {"status": status, "disabled_reason": None}
    # Failures of another address, or from before the owner took it back, say nothing about what comes now.
    if status != old.status or values.get("url", old.url) != old.url:
        values |= {"failing_since": None, "failed_attempts": 0}
    new = replace(old, **values)
    return old if new == old else replace(new, updated_at=now_ms)


def _wanted(patterns: list[str]) -> dict[str, Any]:
    return {"events": patterns, "types": expand(patterns)}


def _filter(filtering: Filtering | None) -> dict[str, Any]:
    if filtering is None:
        return {"filter_mode": None, "filter_criteria": None}
    return {"filter_mode": filtering.mode, "filter_criteria": msgspec.to_builtins(filtering.criteria)}


def require_room(count: int) -> None:
    if count >= MAX_WEBHOOKS:
        raise Conflict(f"An organization has at most {MAX_WEBHOOKS} webhooks; delete one first.")


def rotated(old: Sequence[Secret], secret: str, grace_seconds: int, now_ms: int) -> list[Secret]:
    """The new one, and before it those that sign on: none of them for longer than the grace that is given now."""
    end = now_ms + grace_seconds * 1000
    ending = [replace(one, until=end if one.until is None else min(one.until, end)) for one in old]
    live = [one for one in ending if one.until is not None and one.until > now_ms]
    if len(live) > MAX_OLD_SECRETS:
        raise Conflict(
            f"{MAX_OLD_SECRETS} older secrets are still in their grace; wait for one to end, or end all with "
            "graceSeconds 0."
        )
    return [Secret(secret), *live]


EXAMPLE = Webhook(
    id="whk_00064a1b2c3d4e5f60718293a4b5",
    url="https://hooks.example.com/steward",
    events=["workorder.*", "asset.status.changed"],
    description="ERP integration",
    filtering=Filtering(
        mode=FilterMode.INCLUDE, criteria=Criteria(location_id=["loc_00064a1b2c3d4e5f60718293a4b5"])
    ),
    status=WebhookStatus.ACTIVE,
    created_at=1767225600000,
    updated_at=1767225600000,
    disabled_reason=None,
    secret_last_four="Qk0=",  # noqa: S106
)
EXAMPLE_WITH_SECRET = WebhookWithSecret(
    **asdict(EXAMPLE),
    signing_secret="whsec_c3Rld2FyZCBzaWducyB3aGF0IGl0IHNlbmRzIHlvdSBRQk0=",  # noqa: S106
)
