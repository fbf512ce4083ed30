"""Events as data: a type is a row that says which fields of its record it shows, and which it shows as they were.

An event's body is frozen as bytes when the change is made, and stored in the transaction of that change together with one
delivery for every webhook that wants it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from steward.kit.caller import TenantId
from steward.kit.ids import new_id

# What a webhook's filter may ask for, by its name in the API.
FILTERABLE = ("locationId", "assetId", "assetTypeId", "priority", "resourceId")

ALL: dict[str, "EventType"] = {}


class EventType(msgspec.Struct, frozen=True, kw_only=True):
    """`shows` are fields of `record`; `previous` those whose old values are told, or None where nothing is."""

    name: str
    when: str
    record: Any
    shows: tuple[str, ...]
    previous: tuple[str, ...] | None = None

    @property
    def payload(self) -> Any:
        """The type of `data.object`."""
        types = {field.name: field for field in msgspec.structs.fields(self.record)}
        title = "".join(part.capitalize() for part in self.name.replace("_", ".").split("."))
        return msgspec.defstruct(
            f"{title}Object", [(name, types[name].type) for name in self.shows], rename="camel", frozen=True
        )


class Event(msgspec.Struct, frozen=True):
    """One thing that happened, ready to be stored."""

    id: str
    type: str
    created: int
    body: bytes
    attributes: dict[str, str]
    about: str


def event_type(
    name: str,
    when: str,
    record: Any,
    shows: str,
    *,
    previous: str | None = None,
) -> EventType:
    """Defines an event type; `shows` and `previous` are field names, separated by spaces."""
    defined = EventType(
        name=name,
        when=when,
        record=record,
        shows=tuple(shows.split()),
        previous=None if previous is None else tuple(previous.split()),
    )
    ALL[name] = defined
    return defined


def happened(
    kind: EventType,
    tenant: TenantId,
    record: Any,
    now: int,
    *,
    old: Any = None,
    attributes: Mapping[str, str] = {},
) -> Event:
    """Freezes an event about `record`, which was `old` before."""
    names = _names(type(record))
    data: dict[str, Any] = {"object": {names[field]: getattr(record, field) for field in kind.shows}}
    if kind.previous is not None:
        data["previousAttributes"] = {
            names[field]: getattr(old, field)
            for field in kind.previous
            if getattr(old, field) != getattr(record, field)
        }
    id = new_id("evt")
    envelope = {
        "id": id,
        "type": kind.name,
        "organizationId": tenant,
        "created": now,
        "data": data,
        "livemode": True,
    }
    return Event(
        id, kind.name, now, msgspec.json.encode(envelope), {**_attributes(record), **attributes}, record.id
    )


def _names(record: type[msgspec.Struct]) -> dict[str, str]:
    return {field.name: field.encode_name for field in msgspec.structs.fields(record)}


def _attributes(record: Any) -> dict[str, str]:
    """What filters can match, taken from the record even where the payload leaves it out."""
    return {
        name: str(value)
        for field, name in _names(type(record)).items()
        if name in FILTERABLE and (value := getattr(record, field)) is not None
    }


Tell = Callable[[Any, Any], Iterable[EventType]]
