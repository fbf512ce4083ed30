"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Any, Literal, TypeAlias

from .._answers import Model, OpenEnum, Record
from .shared import Permission


class EventData(Model, kw_only=True):
    object: dict[str, Any]
    previous_attributes: dict[str, Any] | None = None


class EventOrder(OpenEnum):
    ASC = "asc"
    DESC = "desc"


EventOrderLike: TypeAlias = EventOrder | Literal["asc", "desc"]


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
