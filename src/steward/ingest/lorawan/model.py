"""What LoRaWAN network servers send of a device: its EUI, when it spoke, and what their decoder made of it.

Theirs are formats of others, which grow: fields that we don't know are no error here.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.kit.domain.fields import Body, Record, Seconds

Values = dict[str, bool | int | float]
Decoded = Annotated[
    dict[str, Any] | None, Meta(description="What the network server's decoder made of the payload.")
]
Time = Annotated[str | None, Meta(description="RFC 3339.", examples=["2026-01-01T00:00:00.123456789Z"])]
Eui = Annotated[
    Annotated[str, Meta(max_length=200)] | None,
    Meta(description="The `externalId` of the asset.", examples=["a84041b2c3d4e5f6"]),
]


class ChirpStackDevice(msgspec.Struct, frozen=True, rename="camel"):
    dev_eui: Eui = None


class ChirpStackEvent(msgspec.Struct, frozen=True, rename="camel"):
    """An event of ChirpStack 4, as its HTTP integration sends it in JSON."""

    device_info: ChirpStackDevice | None = None
    time: Time = None
    object: Decoded = None
    battery_level: Annotated[float | None, Meta(description="Of a status, in percent.", examples=[87.5])] = (
        None
    )
    battery_level_unavailable: bool = False
    external_power_source: bool = False
    queue_item_id: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="Of an `ack` or `txack`: what ChirpStack calls the command."),
    ] = None
    acknowledged: bool = False
    margin: Annotated[
        int | None, Meta(description="Of a status: the signal-to-noise ratio in dB.", examples=[12])
    ] = None


class TtnDevice(msgspec.Struct, frozen=True):
    dev_eui: Eui = None


class TtnSettings(msgspec.Struct, frozen=True):
    time: Time = None


class TtnBattery(msgspec.Struct, frozen=True):
    value: Annotated[float | None, Meta(description="Percent.", examples=[87.5])] = None


class TtnUplink(msgspec.Struct, frozen=True):
    decoded_payload: Decoded = None
    received_at: Time = None
    settings: TtnSettings | None = None
    last_battery_percentage: TtnBattery | None = None


class TtnJoin(msgspec.Struct, frozen=True):
    received_at: Time = None


class TtnMessage(msgspec.Struct, frozen=True):
    """A message of The Things Stack 3, as its webhooks send it in JSON."""

    end_device_ids: TtnDevice | None = None
    received_at: Time = None
    uplink_message: TtnUplink | None = None
    join_accept: TtnJoin | None = None


class Uplink(msgspec.Struct, frozen=True):
    """A join has no values: it shows that the device is there. `at` is None if the network server gave no time."""

    eui: str
    at: int | None
    values: Values
    ignored: list[str]


class ChirpStackQuery(Body, frozen=True):
    event: Annotated[
        str,
        Meta(max_length=40, description="Which kind of event it is; ChirpStack adds this.", examples=["up"]),
    ] = "up"


class UplinkResult(Record, frozen=True):
    """What was made of an uplink."""

    asset_id: str | None
    timestamp: Seconds | None
    values: Values
    ignored: Annotated[list[str], Meta(description="Decoded fields that are neither numbers nor booleans.")]
    message: Annotated[str | None, Meta(description="Why nothing was stored; null where something was.")] = (
        None
    )
