"""What a device reports, what is answered, and what is decided about its asset."""

from typing import Annotated

import msgspec
from msgspec import Meta

from steward.alert_rules.evaluation import Cleared, Raised, Seen
from steward.ingest.devices.model import Device
from steward.kit.domain.fields import MUST, Body, Identifier, Record, Seconds
from steward.kit.domain.problems import ErrorDetail, Problem
from steward.kit.events.event_types import Event
from steward.kit.security.caller import TenantId

MAX_READINGS = 1000
# Of what other systems call an asset.
MAX_NAME_LENGTH = 200
# Beyond this not every whole number has a place in the history.
MAX_WHOLE = 2**53
MAX_KEY_LENGTH = 100
MAX_VALUES = 200

Key = Annotated[str, Meta(min_length=1, max_length=MAX_KEY_LENGTH, examples=["Temperature"])]
Value = Annotated[
    bool | Annotated[int, Meta(ge=-MAX_WHOLE, le=MAX_WHOLE)] | float,
    Meta(extra={MUST: "be a finite number or a boolean"}),
]
Values = Annotated[
    dict[Key, Value],
    Meta(
        min_length=1,
        max_length=MAX_VALUES,
        description="Numbers and booleans by key; their units stand in the asset type.",
        examples=[{"Temperature": 21.4, "Humidity": 48.5}],
    ),
]
Timestamp = Annotated[
    Seconds | None,
    Meta(description="When it was measured; the time of arrival where none is given."),
]


class Reading(msgspec.Struct, frozen=True):
    """Values that an asset had at a moment."""

    tenant: TenantId
    asset_id: str
    at: int
    values: dict[str, bool | int | float]


class Telemetry(Body, frozen=True):
    values: Values
    timestamp: Timestamp = None


class TelemetryItem(Body, frozen=True):
    """One of several readings; it names its asset by `assetId` or by `externalId`."""

    values: Values
    asset_id: Identifier | None = None
    external_id: Annotated[str, Meta(min_length=1, max_length=MAX_NAME_LENGTH)] | None = None
    timestamp: Timestamp = None


class TelemetryBatch(Body, frozen=True):
    readings: Annotated[list[TelemetryItem], Meta(min_length=1, max_length=MAX_READINGS)]


class AcceptedReading(Record, frozen=True):
    asset_id: str
    timestamp: Seconds


class UnreadableItem(msgspec.Struct, frozen=True):
    """One of several readings that can't be one, and what it calls its asset as far as that can be read."""

    problem: Problem
    asset_id: str | None
    external_id: str | None


Item = TelemetryItem | UnreadableItem


class ItemResult(Record, frozen=True, omit_defaults=True):
    """What became of one of several readings, in the order in which they were sent."""

    index: Annotated[int, Meta(description="Its place among the readings, from 0 on.")]
    accepted: bool
    asset_id: Annotated[
        str | None, Meta(description="As it was sent, or that of the asset with the externalId.")
    ] = None
    external_id: Annotated[str | None, Meta(description="Where the reading named its asset by it.")] = None
    timestamp: Seconds | None = None
    error: Annotated[
        str | None, Meta(description="The code that a single reading would be refused with.")
    ] = None
    message: str | None = None
    details: list[ErrorDetail] = []


class BatchResult(Record, frozen=True):
    accepted: int
    rejected: int
    results: list[ItemResult]


class Decision(msgspec.Struct):
    """An asset before and after, and what there is to tell and to note about it."""

    before: Device
    after: Device
    events: list[Event] = []
    raised: list[Raised] = []
    cleared: list[Cleared] = []
    seen: list[Seen] = []
