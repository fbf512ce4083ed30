"""Events as data: a type is a row that says which fields of its record it shows, and which it shows as they were.

An event's body is frozen as bytes when the change is made, and stored in the transaction of that change together with one
delivery for every webhook that wants it.
"""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import msgspec
from msgspec.structs import replace

from steward.kit.domain.fields import Record
from steward.kit.domain.ids import new_id
from steward.kit.security.caller import SOME_TENANT, TenantId
from steward.kit.security.permissions import Permission

# Attributes beside those that records declare: what a location lies in, which its own row doesn't say yet while it is being
# written; and what the attributes were before the change, as far as they were others.
WITHIN = "within"
WAS = "was"

ALL: dict[str, "EventType"] = {}

_NEVER_CHANGED = frozenset({"id", "created", "updated"})


class EventType(msgspec.Struct, frozen=True, kw_only=True):
    """`shows` are fields of the record; `previous` those with previous values, or None for none.

    Previous values are shown where they differ; with `all_previous` always, also where there were none.
    `example` is a record, and `was` what it had been before, for the documents. `marks` stand in the envelope of every
    event of this type. `permission` is the one that shows the record, and so the event.
    """

    name: str
    permission: Permission
    when: str
    example: Any
    shows: tuple[str, ...]
    previous: tuple[str, ...] | None
    all_previous: bool
    was: Mapping[str, Any]
    marks: Mapping[str, Any]

    @property
    def payload(self) -> Any:
        """The type of `data.object`."""
        known = {field.name: field for field in msgspec.structs.fields(type(self.example))}
        title = "".join(part.capitalize() for part in self.name.replace("_", ".").split("."))
        fields = [
            (name, known[name].type, msgspec.field(name=known[name].encode_name)) for name in self.shows
        ]
        return msgspec.defstruct(f"{title}Object", fields, frozen=True)

    def example_body(self) -> bytes:
        old = replace(self.example, **self.was)
        envelope = msgspec.json.decode(
            build_event(self, self.example, tenant=SOME_TENANT, now=1767225600, old=old).body
        )
        # The documents are held against the code, so that what is random has to stand still in them.
        return msgspec.json.encode({**envelope, "id": "evt_00064a1b2c3d4e5f60718293a4b5"})


class Deleted(Record, frozen=True):
    """The payload of a deletion."""

    id: str
    deleted: bool = True


class Event(msgspec.Struct, frozen=True):
    """One thing that happened, ready to be stored. `about` is the identifier of the record; `actor` who caused it, where that
    isn't the caller of the request."""

    id: str
    type: str
    created: int
    body: bytes
    attributes: dict[str, Any]
    about: str
    actor: str | None = None


def event_type(
    name: str,
    when: str,
    example: Any,
    shows: str,
    *,
    permission: Permission,
    previous: str | None = None,
    all_previous: bool = False,
    was: Mapping[str, Any] | None = None,
    was_status: str | None = None,
    marks: Mapping[str, Any] | None = None,
) -> EventType:
    """Defines an event type; `shows` and `previous` are field names, separated by spaces. `was_status` is for those that show
    the status before and nothing else that was.
    """
    if was_status is not None:
        previous, was = "status", {"status": was_status}
    defined = EventType(
        name=name,
        permission=permission,
        when=when,
        example=example,
        shows=tuple(shows.split()),
        previous=None if previous is None else tuple(previous.split()),
        all_previous=all_previous,
        was=was or {},
        marks=marks or {},
    )
    ALL[name] = defined
    return defined


def record_events(
    group: str, noun: str, example: Any, *, permission: Permission, was: Mapping[str, Any]
) -> tuple[EventType, EventType, EventType]:
    """Created, updated and deleted, with everything that the record shows; `noun` begins a sentence."""
    define = partial(event_type, permission=permission)
    shows = example.__struct_fields__
    changeable = " ".join(field for field in shows if field not in _NEVER_CHANGED)
    return (
        define(f"{group}.created", f"{noun} created.", example, " ".join(shows)),
        define(
            f"{group}.updated", f"{noun} changed.", example, " ".join(shows), previous=changeable, was=was
        ),
        define(f"{group}.deleted", f"{noun} deleted.", Deleted(example.id), "id deleted"),
    )


def deletion(kind: EventType, record: Any, *, tenant: TenantId, now: int) -> Event:
    """Filters still match by what the record was."""
    return build_event(kind, Deleted(record.id), tenant=tenant, now=now, attributes=attributes_of(record))


def build_event(
    kind: EventType,
    record: Any,
    *,
    tenant: TenantId,
    now: int,
    old: Any = None,
    attributes: Mapping[str, Any] | None = None,
    about: str | None = None,
) -> Event:
    """Freezes an event about `record`, which was `old` before; `attributes` adds to what filters can match, `about` names a record
    that has no identifier of its own."""
    names = _names(record.__class__)
    data: dict[str, Any] = {"object": {names[field]: getattr(record, field) for field in kind.shows}}
    if kind.previous is not None:
        data["previousAttributes"] = {
            names[field]: getattr(old, field)
            for field in kind.previous
            if kind.all_previous or getattr(old, field) != getattr(record, field)
        }
    return freeze(
        kind.name,
        tenant,
        data,
        now,
        about=about or _identifier(record),
        attributes={**_attributes_with_old(record, old), **(attributes or {})},
        more=kind.marks,
    )


def freeze(
    name: str,
    tenant: TenantId,
    data: dict[str, Any],
    now: int,
    *,
    about: str,
    attributes: dict[str, Any],
    more: Mapping[str, Any] | None = None,
) -> Event:
    """The envelope as it will be sent, byte for byte, however often."""
    id = new_id("evt")
    envelope = {
        "id": id,
        "type": name,
        "organizationId": tenant,
        "created": now,
        "data": data,
        "livemode": True,
        **(more or {}),
    }
    return Event(id, name, now, msgspec.json.encode(envelope), attributes, about)


@cache
def _names(record: Any) -> dict[str, str]:
    return {field.name: field.encode_name for field in msgspec.structs.fields(record)}


def _identifier(record: Any) -> str:
    """A record that isn't known by an `id` begins with what it is known by."""
    own = "id" if "id" in record.__struct_fields__ else record.__struct_fields__[0]
    identifier: str = getattr(record, own)
    return identifier


def _attributes_with_old(record: Any, old: Any) -> dict[str, Any]:
    """A filter also matches previous values, so that it gets the change by which a record leaves it."""
    new = attributes_of(record)
    if old is None:
        return new
    before = attributes_of(old)
    was = {name: before.get(name) for name in new | before if before.get(name) != new.get(name)}
    return {**new, WAS: was} if was else new


def attributes_of(record: Any) -> dict[str, Any]:
    """What filters can match, taken from the record even where the payload leaves it out."""
    names = _names(record.__class__)
    found: dict[str, Any] = {
        names[field]: str(value)
        for field in getattr(record, "filterable", ())
        if (value := getattr(record, field)) is not None
    }
    if own := getattr(record, "filter_name", None):
        found[own] = record.id
    if parent := getattr(record, "filter_parent", None):
        found[WITHIN] = getattr(record, parent)
    return found
