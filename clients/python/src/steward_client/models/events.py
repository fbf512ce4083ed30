"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Any, Literal, TypeAlias

from .._answers import Model, OpenEnum, Record
from .shared import Permission


class ActorType(OpenEnum):
    DEVICE = "Device"
    KEY = "Key"
    SYSTEM = "System"
    USER = "User"


ActorTypeLike: TypeAlias = ActorType | Literal["Device", "Key", "System", "User"]


class Actor(Model, kw_only=True):
    type: ActorType
    """`User`: somebody logged in. `Key`: an API key, also where it acts as the user who made it. `Device`: an
    asset's own readings, or a tablet at a door. `System`: the service by itself, such as a timer.
    """
    id: str | None
    """Of the user, key, asset or tablet; null for `System`."""


class EventData(Model, kw_only=True):
    object: dict[str, Any]
    previous_attributes: dict[str, Any] | None = None


class EventOrder(OpenEnum):
    ASC = "asc"
    DESC = "desc"


EventOrderLike: TypeAlias = EventOrder | Literal["asc", "desc"]


class EventPart(OpenEnum):
    ACTOR = "actor"


EventPartLike: TypeAlias = EventPart | Literal["actor"]


class EventTypeDescription(Record, kw_only=True):
    """An entry of the catalogue."""

    type: str
    description: str
    fields: list[str]
    """What `data.object` holds."""
    previous_attributes: bool
    """Whether `data.previousAttributes` is present."""
    permission: Permission
    """Shows the record, and so the events of this type: who lacks it gets none."""


class Event(Record, kw_only=True):
    """The envelope, just as it is delivered."""

    id: str
    type: str
    organization_id: str
    created: int
    """Unix seconds."""
    data: EventData
    livemode: bool
    is_test: bool | None = None
    actor: Actor | None = None
    """Who caused it, with `include=actor`; null for events that version 0.2 wrote. Deliveries have it in the
    header `webhook-actor`.
    """
