"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record


class ChirpStackServer(Record, kw_only=True):
    """All null where there is none."""

    url: str | None
    token_last_four: str | None
    """The end of the API key."""
    updated: int | None
    """Unix seconds."""


class CommandReason(OpenEnum):
    EXPIRED = "expired"
    NO_SUBSCRIBER = "no_subscriber"
    NOT_ACKNOWLEDGED = "not_acknowledged"
    NOT_REACHED = "not_reached"
    REFUSED_BY_DEVICE = "refused_by_device"
    REFUSED_BY_SERVER = "refused_by_server"


CommandReasonLike: TypeAlias = (
    CommandReason
    | Literal[
        "expired",
        "no_subscriber",
        "not_acknowledged",
        "not_reached",
        "refused_by_device",
        "refused_by_server",
    ]
)


class CommandStatus(OpenEnum):
    ACKNOWLEDGED = "acknowledged"
    FAILED = "failed"
    QUEUED = "queued"
    SENT = "sent"


CommandStatusLike: TypeAlias = CommandStatus | Literal["acknowledged", "failed", "queued", "sent"]


class Transport(OpenEnum):
    CHIRPSTACK = "chirpstack"
    MQTT = "mqtt"


TransportLike: TypeAlias = Transport | Literal["chirpstack", "mqtt"]


class Command(Record, kw_only=True):
    id: str
    asset_id: str
    name: str
    payload: dict[str, Any]
    via: Transport
    confirmed: bool
    """Whether the device is to say that it has it."""
    f_port: int
    """Of LoRaWAN; means nothing over MQTT."""
    data: str | None
    """The bytes for a LoRaWAN device, in base64."""
    status: CommandStatus
    """`sent` once the broker or the network server has it; the last state where nothing is to be confirmed.
    """
    reason: CommandReason | None
    """Why it failed, or is not sent yet."""
    message: str | None
    """The same in words, also in those of the device."""
    attempts: int
    """How often sending it was begun."""
    created_by: str | None
    created: int
    """Unix seconds."""
    expires_at: int
    """When it has failed, unless it is done by then."""
    sent_at: int | None
    """Unix seconds."""
    transmitted_at: int | None
    """When a LoRaWAN gateway took it for transmission."""
    acknowledged_at: int | None
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class NewChirpStackServer(Model, kw_only=True):
    """Without a URL the connection is removed."""

    url: str | UnsetType | None = UNSET
    """Of its REST API, without `/api`: https, at a public address."""
    token: str | UnsetType = UNSET
    """An API key of ChirpStack; the one that is known stays, when absent."""


class NewCommand(Model, kw_only=True):
    name: str
    payload: Mapping[str, Any] | UnsetType = UNSET
    """What else the device has to know; for ChirpStack what the device profile's codec encodes."""
    via: TransportLike | UnsetType | None = UNSET
    """`chirpstack`, when absent, where its server is known and the asset's externalId is an EUI; else `mqtt`.
    """
    confirmed: bool | UnsetType = UNSET
    f_port: int | UnsetType = UNSET
    """Of LoRaWAN."""
    data: str | UnsetType | None = UNSET
    """For ChirpStack: the bytes in base64, in place of the payload."""
    expires_at: int | UnsetType | None = UNSET
    """A day from now, when absent; 30 days at most."""
