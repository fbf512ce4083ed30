"""Commands: queued here, sent to the device by a worker, and settled by the device's answer."""

import base64
import binascii
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.kit.domain.fields import Body, Record, Seconds
from steward.kit.domain.list_query import PageQuery, Several
from steward.kit.domain.shared_fields import example_of
from steward.kit.security.caller import TenantId

DAY_SECONDS = 86_400
DEFAULT_LIFE_SECONDS = DAY_SECONDS
MAX_LIFE_SECONDS = 30 * DAY_SECONDS
# How long a command is kept after it expired.
KEPT_SECONDS = 30 * DAY_SECONDS
# Per asset: a device that was offline must not receive a flood of old commands.
MAX_WAITING = 100
MAX_PAYLOAD_BYTES = 10_000
# The largest payload of one LoRaWAN frame.
MAX_DATA_BYTES = 242
MAX_F_PORT = 223

CommandName = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S", examples=["setTarget"])]


class Transport(StrEnum):
    """How a command reaches its device."""

    MQTT = "mqtt"
    CHIRPSTACK = "chirpstack"


class CommandStatus(StrEnum):
    QUEUED = "queued"
    SENT = "sent"
    ACKNOWLEDGED = "acknowledged"
    FAILED = "failed"


class CommandReason(StrEnum):
    """Why a command has failed, or is not sent yet."""

    EXPIRED = "expired"
    NOT_ACKNOWLEDGED = "not_acknowledged"
    REFUSED_BY_DEVICE = "refused_by_device"
    REFUSED_BY_SERVER = "refused_by_server"
    NOT_REACHED = "not_reached"
    NO_SUBSCRIBER = "no_subscriber"


class Command(Record, frozen=True, kw_only=True):
    id: str
    asset_id: str
    name: str
    payload: dict[str, Any]
    via: Transport
    confirmed: Annotated[bool, Meta(description="Whether the device is to say that it has it.")]
    f_port: Annotated[int, Meta(description="Of LoRaWAN; means nothing over MQTT.", examples=[1])]
    data: Annotated[str | None, Meta(description="The bytes for a LoRaWAN device, in base64.")]
    status: Annotated[
        CommandStatus,
        Meta(
            description="`sent` once the broker or the network server has it; the last state where nothing is to be confirmed."
        ),
    ]
    reason: Annotated[CommandReason | None, Meta(description="Why it failed, or is not sent yet.")]
    message: Annotated[str | None, Meta(description="The same in words, also in those of the device.")]
    attempts: Annotated[int, Meta(description="How often sending it was begun.")]
    created_by: str | None
    created: Seconds
    expires_at: Annotated[Seconds, Meta(description="When it has failed, unless it is done by then.")]
    sent_at: Seconds | None
    transmitted_at: Annotated[
        Seconds | None, Meta(description="When a LoRaWAN gateway took it for transmission.")
    ]
    acknowledged_at: Seconds | None
    updated: Seconds


class NewCommand(Body, frozen=True):
    name: CommandName
    payload: Annotated[
        dict[str, Any],
        Meta(
            description="What else the device has to know; for ChirpStack what the device profile's codec encodes."
        ),
    ] = {}
    via: Annotated[
        Transport | None,
        Meta(
            description="`chirpstack`, when absent, where its server is known and the asset's externalId is an EUI; else `mqtt`."
        ),
    ] = None
    confirmed: bool = True
    f_port: Annotated[int, Meta(ge=1, le=MAX_F_PORT, description="Of LoRaWAN.", examples=[1])] = 1
    data: Annotated[
        Annotated[str, Meta(max_length=4 * MAX_DATA_BYTES)] | None,
        Meta(description="For ChirpStack: the bytes in base64, in place of the payload.", examples=["AQID"]),
    ] = None
    expires_at: Annotated[
        Seconds | None, Meta(description="A day from now, when absent; 30 days at most.")
    ] = None


class CommandQuery(PageQuery, frozen=True):
    status: Several[CommandStatus] | None = None


class CommandTarget(msgspec.Struct, frozen=True):
    """What sending needs to know of an asset."""

    external_id: str | None
    has_chirpstack: bool
    waiting: int


class WaitingCommand(msgspec.Struct, frozen=True):
    """A command claimed by this worker; `attempts` identifies the claim, as each claim increments it."""

    tenant: TenantId
    id: str
    asset_id: str
    external_id: str | None
    name: str
    payload: dict[str, Any]
    confirmed: bool
    f_port: int
    data: str | None
    attempts: int
    expires_at: int


class SendingResult(msgspec.Struct, frozen=True):
    """The result of sending: sent if there is no reason; failed for good if `final`."""

    reason: CommandReason | None = None
    message: str | None = None
    queue_item_id: str | None = None
    final: bool = False


class DeviceAnswer(msgspec.Struct, frozen=True):
    """A device's answer to a command."""

    id: Annotated[str, Meta(min_length=1, max_length=40)]
    error: Annotated[str, Meta(max_length=1000)] | None = None


def is_base64(text: str) -> bool:
    try:
        return 0 < len(base64.b64decode(text, validate=True)) <= MAX_DATA_BYTES
    except (binascii.Error, ValueError):
        return False


EXAMPLE = example_of(
    Command,
    id="cmd_00064a1b2c3d4e5f60718293a4b5",
    asset_id="ast_00064a1b2c3d4e5f60718293a4b5",
    name="setTarget",
    payload={"Temperature": 21.5},
    via=Transport.MQTT,
    confirmed=True,
    status=CommandStatus.QUEUED,
    attempts=0,
    created_by="usr_00064a1b2c3d4e5f60718293a4b5",
    expires_at=1767312000,
)
