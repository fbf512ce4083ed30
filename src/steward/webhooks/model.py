"""Webhooks: address, subscription and status."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType, field
from msgspec.structs import asdict

from steward.kit.db.constraints import Constraints, Reference
from steward.kit.domain.fields import Body, Record
from steward.webhooks.subscription import Criteria, Filtering, FilterMode, Patterns

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


class ChosenStatus(StrEnum):
    """The statuses that people may set; the other is for receivers that don't answer."""

    ACTIVE = "active"
    PAUSED = "paused"


class Webhook(Record, frozen=True):
    """The public record."""

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
    types: Annotated[
        list[str],
        Meta(
            description="What is sent: the event types that `events` stands for, as far as the person who made the "
            "webhook, or changed its `events` last, could read them."
        ),
    ]


class WebhookWithSecret(Webhook, frozen=True):
    signing_secret: Annotated[str, Meta(description="Shown here and never again.")]


class StoredWebhook(msgspec.Struct, frozen=True, kw_only=True):
    """The stored record.

    The engine writes the last three, and the status when it disables. `maker_permissions` are those of its
    maker: the person or key that made it or last changed its events; None for all.
    """

    id: str
    url: str
    events: list[str]
    types: list[str]
    maker_permissions: list[str] | None = None
    description: str | None
    filter_mode: FilterMode | None
    filter_criteria: dict[str, Any] | None
    filter_descends: bool
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
        Annotated[ChosenStatus, Meta(description="`active` also takes a disabled webhook back.")] | UnsetType
    ) = UNSET


class SecretRotation(Body, frozen=True):
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


_FILTERS = "filters of webhooks"
CONSTRAINTS: Constraints = {
    "webhook_filters_location": Reference("filtering.criteria.locationId", "location", _FILTERS),
    "webhook_filters_asset": Reference("filtering.criteria.assetId", "asset", _FILTERS),
    "webhook_filters_asset_type": Reference("filtering.criteria.assetTypeId", "asset type", _FILTERS),
    "webhook_filters_resource": Reference("filtering.criteria.resourceId", "resource", _FILTERS),
}

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
    types=["asset.status.changed", "workorder.created", "workorder.updated"],
)
EXAMPLE_WITH_SECRET = WebhookWithSecret(
    **asdict(EXAMPLE),
    signing_secret="whsec_c3Rld2FyZCBzaWducyB3aGF0IGl0IHNlbmRzIHlvdSBRQk0=",  # noqa: S106
)
