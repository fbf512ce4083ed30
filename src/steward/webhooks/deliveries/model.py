"""Deliveries as their owner sees them: one per event and webhook, with every attempt."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta
from msgspec.structs import asdict

from steward.events.model import EventPattern
from steward.kit.domain.fields import Identifier, Record, Seconds
from steward.kit.domain.list_query import PageQuery, Several

# The channel of hints that deliveries may be due.
CHANNEL = "steward_deliveries"


class DeliveryStatus(StrEnum):
    PENDING = "pending"
    RETRYING = "retrying"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class Delivery(Record, frozen=True):
    id: str
    delivery_id: Annotated[
        str, Meta(description="The same as `id`, by the name that the test's answer has for it.")
    ]
    webhook_id: str
    event_id: str
    event_type: Annotated[str | None, Meta(description="Null when the event has just expired.")]
    status: DeliveryStatus
    reason: Annotated[str | None, Meta(description="Why it is in this state, where that isn't plain.")]
    attempts: Annotated[int, Meta(description="How many were made so far.")]
    next_attempt_at: Annotated[Seconds | None, Meta(description="Null in every end state.")]
    created: Seconds
    finished_at: Seconds | None


class Attempt(Record, frozen=True):
    number: int
    started_at: Seconds
    duration_ms: int
    status_code: Annotated[int | None, Meta(description="Null when no answer came.")]
    error: Annotated[str | None, Meta(description="The kind of failure; null for a success.")]
    response: Annotated[str | None, Meta(description="The first 16 KiB of the answer's body, as text.")]


class DeliveryRequest(Record, frozen=True):
    """The request that the receiver gets, the same with each attempt.

    The signature headers hold the time of the attempt, are made for each and not stored.
    """

    headers: dict[str, str]
    body: Annotated[str, Meta(description="Exactly as it is sent and signed.")]


class DeliveryDetails(Delivery, frozen=True):
    request: Annotated[
        DeliveryRequest | None,
        Meta(description="Null when the event has expired, and without the permission events:read."),
    ]
    attempt_log: Annotated[list[Attempt], Meta(description="Oldest first; the last hundred.")]


class DeliveryQuery(PageQuery, frozen=True):
    status: Several[DeliveryStatus] | None = None
    event_id: Several[Identifier] | None = None
    type: Annotated[
        Annotated[list[EventPattern], Meta(max_length=100)] | None,
        Meta(description="Event types, or groups such as `workorder.*`; several are separated by commas."),
    ] = None
    created_after: Annotated[
        Seconds | None, Meta(description="Only deliveries of events of this second and later.")
    ] = None
    created_before: Annotated[
        Seconds | None, Meta(description="Only deliveries of events before this second.")
    ] = None


EXAMPLE = Delivery(
    id="dlv_00064a1b2c3d4e5f607182" + "64a1b2c3d4e5f6",
    delivery_id="dlv_00064a1b2c3d4e5f607182" + "64a1b2c3d4e5f6",
    webhook_id="whk_00064a1b2c3d4e5f60718293a4b5",
    event_id="evt_00064a1b2c3d4e5f60718293a4b5",
    event_type="workorder.created",
    status=DeliveryStatus.RETRYING,
    reason=None,
    attempts=1,
    next_attempt_at=1767225605,
    created=1767225600,
    finished_at=None,
)
EXAMPLE_DETAILS = DeliveryDetails(
    **asdict(EXAMPLE),
    request=DeliveryRequest(
        {
            "Content-Type": "application/json",
            "User-Agent": "Steward-Webhooks/1",
            "webhook-id": "evt_00064a1b2c3d4e5f60718293a4b5",
        },
        '{"id":"evt_00064a1b2c3d4e5f60718293a4b5","type":"workorder.created"}',
    ),
    attempt_log=[Attempt(1, 1767225600, 87, 502, "http_status", "Bad gateway")],
)
