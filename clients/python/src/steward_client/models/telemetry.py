"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from .._answers import Model, Record
from .shared import ErrorDetail, PropertyType


class AcceptedReading(Record, kw_only=True):
    asset_id: str
    timestamp: int
    """Unix seconds."""


class ItemResult(Model, kw_only=True):
    """What became of one of several readings, in the order in which they were sent."""

    index: int
    """Its place among the readings, from 0 on."""
    accepted: bool
    asset_id: str | None = None
    """As it was sent, or that of the asset with the externalId."""
    external_id: str | None = None
    """Where the reading named its asset by it."""
    timestamp: int | None = None
    """Unix seconds."""
    error: str | None = None
    """The code that a single reading would be refused with."""
    message: str | None = None
    details: list[ErrorDetail] = []


class BatchResult(Record, kw_only=True):
    accepted: int
    rejected: int
    results: list[ItemResult]


class ChirpStackDevice(Model, kw_only=True):
    dev_eui: str | UnsetType | None = UNSET
    """The `externalId` of the asset."""


class ChirpStackEvent(Model, kw_only=True):
    """An event of ChirpStack 4, as its HTTP integration sends it in JSON."""

    device_info: ChirpStackDevice | Mapping[str, Any] | UnsetType | None = UNSET
    time: str | UnsetType | None = UNSET
    """RFC 3339."""
    object: Mapping[str, Any] | UnsetType | None = UNSET
    """What the network server's decoder made of the payload."""
    battery_level: float | UnsetType | None = UNSET
    """Of a status, in percent."""
    battery_level_unavailable: bool | UnsetType = UNSET
    external_power_source: bool | UnsetType = UNSET
    queue_item_id: str | UnsetType | None = UNSET
    """Of an `ack` or `txack`: what ChirpStack calls the command."""
    acknowledged: bool | UnsetType = UNSET
    margin: int | UnsetType | None = UNSET
    """Of a status: the signal-to-noise ratio in dB."""


class HistoryPoint(Model, kw_only=True):
    """The aggregate of a bucket's readings; `timestamp` is that of the first of them."""

    timestamp: int
    """Unix seconds."""
    min: float
    max: float
    average: float
    count: int


class KeyHistory(Model, kw_only=True):
    """Booleans count as 1 and 0. A key that the asset type doesn't know is a float without a unit."""

    key: str
    name: str
    unit: str
    type: PropertyType
    points: list[HistoryPoint]


class History(Record, kw_only=True):
    asset_id: str
    from_: int
    """Unix seconds."""
    to: int
    """Unix seconds."""
    bucket_seconds: int
    """How long a time each point stands for at most."""
    series: list[KeyHistory]


class RawReading(Record, kw_only=True):
    """An asset's reading at one time. Booleans are 1 and 0."""

    timestamp: int
    """Unix seconds."""
    values: dict[str, float]
    """By key."""


class Telemetry(Model, kw_only=True):
    values: Mapping[str, bool | int | float]
    """Numbers and booleans by key; their units stand in the asset type."""
    timestamp: int | UnsetType | None = UNSET
    """When it was measured; the time of arrival where none is given."""


class TelemetryItem(Model, kw_only=True):
    """One of several readings; it names its asset by `assetId` or by `externalId`."""

    values: Mapping[str, bool | int | float]
    """Numbers and booleans by key; their units stand in the asset type."""
    asset_id: str | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET
    timestamp: int | UnsetType | None = UNSET
    """When it was measured; the time of arrival where none is given."""


class TelemetryBatch(Model, kw_only=True):
    readings: Sequence[TelemetryItem | Mapping[str, Any]]


class TtnBattery(Model, kw_only=True):
    value: float | UnsetType | None = UNSET
    """Percent."""


class TtnDevice(Model, kw_only=True):
    dev_eui: str | UnsetType | None = msgspec.field(name="dev_eui", default=UNSET)
    """The `externalId` of the asset."""


class TtnJoin(Model, kw_only=True):
    received_at: str | UnsetType | None = msgspec.field(name="received_at", default=UNSET)
    """RFC 3339."""


class TtnSettings(Model, kw_only=True):
    time: str | UnsetType | None = UNSET
    """RFC 3339."""


class TtnUplink(Model, kw_only=True):
    decoded_payload: Mapping[str, Any] | UnsetType | None = msgspec.field(
        name="decoded_payload", default=UNSET
    )
    """What the network server's decoder made of the payload."""
    received_at: str | UnsetType | None = msgspec.field(name="received_at", default=UNSET)
    """RFC 3339."""
    settings: TtnSettings | Mapping[str, Any] | UnsetType | None = UNSET
    last_battery_percentage: TtnBattery | Mapping[str, Any] | UnsetType | None = msgspec.field(
        name="last_battery_percentage", default=UNSET
    )


class TtnMessage(Model, kw_only=True):
    """A message of The Things Stack 3, as its webhooks send it in JSON."""

    end_device_ids: TtnDevice | Mapping[str, Any] | UnsetType | None = msgspec.field(
        name="end_device_ids", default=UNSET
    )
    received_at: str | UnsetType | None = msgspec.field(name="received_at", default=UNSET)
    """RFC 3339."""
    uplink_message: TtnUplink | Mapping[str, Any] | UnsetType | None = msgspec.field(
        name="uplink_message", default=UNSET
    )
    join_accept: TtnJoin | Mapping[str, Any] | UnsetType | None = msgspec.field(
        name="join_accept", default=UNSET
    )


class UplinkResult(Record, kw_only=True):
    """What was made of an uplink."""

    asset_id: str | None
    timestamp: int | None
    """Unix seconds."""
    values: dict[str, bool | int | float]
    ignored: list[str]
    """Decoded fields that are neither numbers nor booleans."""
    message: str | None = None
    """Why nothing was stored; null where something was."""
