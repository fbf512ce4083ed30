"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import Priority


class Attempt(Model, kw_only=True):
    number: int
    started_at: int
    """Unix seconds."""
    duration_ms: int
    status_code: int | None
    """Null when no answer came."""
    error: str | None
    """The kind of failure; null for a success."""
    response: str | None
    """The first 16 KiB of the answer's body, as text."""


class ChosenStatus(OpenEnum):
    ACTIVE = "active"
    PAUSED = "paused"


ChosenStatusLike: TypeAlias = ChosenStatus | Literal["active", "paused"]


class Criteria(Model, kw_only=True):
    """An event matches if it has each of the named attributes, with one of the given values."""

    location_id: list[str] | UnsetType = UNSET
    asset_id: list[str] | UnsetType = UNSET
    asset_type_id: list[str] | UnsetType = UNSET
    priority: list[Priority] | UnsetType = UNSET
    resource_id: list[str] | UnsetType = UNSET


class DeliveryStatus(OpenEnum):
    CANCELLED = "cancelled"
    FAILED = "failed"
    PENDING = "pending"
    RETRYING = "retrying"
    SKIPPED = "skipped"
    SUCCEEDED = "succeeded"


DeliveryStatusLike: TypeAlias = (
    DeliveryStatus | Literal["cancelled", "failed", "pending", "retrying", "skipped", "succeeded"]
)


class Delivery(Record, kw_only=True):
    id: str
    delivery_id: str
    """The same as `id`, by the name that the test's answer has for it."""
    webhook_id: str
    event_id: str
    event_type: str | None
    """Null when the event has just expired."""
    status: DeliveryStatus
    reason: str | None
    """Why it is in this state, where that isn't plain."""
    attempts: int
    """How many were made so far."""
    next_attempt_at: int | None
    """Null in every end state."""
    created: int
    """Unix seconds."""
    finished_at: int | None
    """Unix seconds."""


class DeliveryRequest(Model, kw_only=True):
    """The request that the receiver gets, the same with each attempt.

    The signature headers hold the time of the attempt, are made for each and not stored.
    """

    headers: dict[str, str]
    body: str
    """Exactly as it is sent and signed."""


class DeliveryDetails(Record, kw_only=True):
    id: str
    delivery_id: str
    """The same as `id`, by the name that the test's answer has for it."""
    webhook_id: str
    event_id: str
    event_type: str | None
    """Null when the event has just expired."""
    status: DeliveryStatus
    reason: str | None
    """Why it is in this state, where that isn't plain."""
    attempts: int
    """How many were made so far."""
    next_attempt_at: int | None
    """Null in every end state."""
    created: int
    """Unix seconds."""
    finished_at: int | None
    """Unix seconds."""
    request: DeliveryRequest | None
    """Null when the event has expired, and without the permission events:read."""
    attempt_log: list[Attempt]
    """Oldest first; the last hundred."""


class FilterMode(OpenEnum):
    EXCLUDE = "exclude"
    INCLUDE = "include"


FilterModeLike: TypeAlias = FilterMode | Literal["exclude", "include"]


class Filtering(Model, kw_only=True):
    """`include` keeps what matches, `exclude` everything else."""

    mode: FilterMode
    criteria: Criteria
    include_descendants: bool = True
    """Whether a location stands for everything that lies in it, too."""


class ReplaySelection(OpenEnum):
    ALL = "all"
    FAILED = "failed"
    SKIPPED = "skipped"


ReplaySelectionLike: TypeAlias = ReplaySelection | Literal["all", "failed", "skipped"]


class NewReplay(Model, kw_only=True):
    since: int
    """From events of this second on; at most 30 days back."""
    until: int
    """Up to events of this second; the present at the latest."""
    only: ReplaySelectionLike
    """`failed` and `skipped` queue such deliveries again; `all` queues every event that the webhook's
    subscription or `types`, and its filter, let through, whether or not it was delivered before.
    """
    types: Sequence[str] | UnsetType | None = UNSET
    """Only these event types or groups; all that apply when absent."""


class NewWebhook(Model, kw_only=True):
    url: str
    """https, without user name or password, at a public address."""
    events: Sequence[str]
    """Event types, groups such as `asset.*`, or `*` for all; see `/v2/event-types`."""
    description: str | UnsetType | None = UNSET
    filtering: Filtering | Mapping[str, Any] | UnsetType | None = UNSET


class ReplayStatus(OpenEnum):
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    RUNNING = "running"


ReplayStatusLike: TypeAlias = ReplayStatus | Literal["cancelled", "completed", "running"]


class Replay(Record, kw_only=True):
    id: str
    webhook_id: str
    since: int
    """Unix seconds."""
    until: int
    """Unix seconds."""
    types: list[str] | None
    """Null for what the webhook is subscribed to."""
    only: ReplaySelection
    status: ReplayStatus
    queued: int
    """Deliveries that were queued so far."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class SecretRotation(Model, kw_only=True):
    grace_seconds: int | UnsetType = UNSET
    """How long older secrets go on signing beside the new one."""


class SentTest(Record, kw_only=True):
    event_id: str
    delivery_id: str


class WebhookStatus(OpenEnum):
    ACTIVE = "active"
    DISABLED = "disabled"
    PAUSED = "paused"


WebhookStatusLike: TypeAlias = WebhookStatus | Literal["active", "disabled", "paused"]


class Webhook(Record, kw_only=True):
    """The public record."""

    webhook_id: str
    url: str
    events: list[str]
    description: str | None
    filtering: Filtering | None
    status: WebhookStatus
    """`paused` by you, `disabled` by us; events meanwhile are skipped."""
    created_at: int
    """Unix milliseconds."""
    updated_at: int
    """Unix milliseconds."""
    disabled_reason: str | None
    secret_last_four: str
    """The end of the newest signing secret."""
    types: list[str]
    """What is sent: the event types that `events` stands for, as far as the person who made the webhook, or
    changed its `events` last, could read them.
    """


class WebhookChanges(Model, kw_only=True):
    url: str | UnsetType = UNSET
    """https, without user name or password, at a public address."""
    events: Sequence[str] | UnsetType = UNSET
    """Event types, groups such as `asset.*`, or `*` for all; see `/v2/event-types`."""
    description: str | UnsetType | None = UNSET
    filtering: Filtering | Mapping[str, Any] | UnsetType | None = UNSET
    status: ChosenStatusLike | UnsetType = UNSET
    """`active` also takes a disabled webhook back."""


class WebhookWithSecret(Record, kw_only=True):
    webhook_id: str
    url: str
    events: list[str]
    description: str | None
    filtering: Filtering | None
    status: WebhookStatus
    """`paused` by you, `disabled` by us; events meanwhile are skipped."""
    created_at: int
    """Unix milliseconds."""
    updated_at: int
    """Unix milliseconds."""
    disabled_reason: str | None
    secret_last_four: str
    """The end of the newest signing secret."""
    types: list[str]
    """What is sent: the event types that `events` stands for, as far as the person who made the webhook, or
    changed its `events` last, could read them.
    """
    signing_secret: str
    """Shown here and never again."""
