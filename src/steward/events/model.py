from enum import StrEnum
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec
from msgspec import Meta

from steward.kit.domain.fields import Record, Seconds
from steward.kit.domain.list_query import PageQuery
from steward.kit.events.actor import Actor
from steward.kit.security.permissions import Permission

RETENTION_DAYS = 30

EventPattern = Annotated[str, Meta(min_length=1, max_length=60, examples=["workorder.*"])]


class EventData(Record, frozen=True, omit_defaults=True):
    object: dict[str, Any]
    previous_attributes: dict[str, Any] | None = None


class StoredEvent(Record, frozen=True, omit_defaults=True):
    """The envelope, just as it is delivered."""

    id: str
    type: str
    organization_id: str
    created: Seconds
    data: EventData
    livemode: bool
    is_test: bool | None = None
    actor: Annotated[
        Actor | None,
        Meta(
            description="Who caused it, with `include=actor`; null for events that version 0.2 wrote. Deliveries have it in the "
            "header `webhook-actor`."
        ),
    ] = None


class EventPart(StrEnum):
    ACTOR = "actor"


Include = Annotated[
    Annotated[list[EventPart], Meta(max_length=10)] | None,
    Meta(description="`actor` adds who caused each event."),
]


class EventOrder(StrEnum):
    ASC = "asc"
    DESC = "desc"


class EventQuery(PageQuery, frozen=True):
    """Newest first it is a list, oldest first it is the change feed."""

    type: Annotated[
        Annotated[list[EventPattern], Meta(max_length=100)] | None,
        Meta(
            description="Event types, or groups such as `workorder.*`; several are separated by commas. A group stands for those "
            "of its types that you may read."
        ),
    ] = None
    created_after: Annotated[
        Seconds | None,
        Meta(description="Only events of this second and later. To miss no event, follow the feed."),
    ] = None
    order: Annotated[
        EventOrder,
        Meta(
            description="`asc` is the change feed: oldest first, in an order that nothing gets in front of."
        ),
    ] = EventOrder.DESC
    after: Annotated[
        str | None,
        Meta(
            description="In the feed: the `lastEvaluatedKey` of the page before; `now` begins with what comes next, and without "
            "it the feed begins with the oldest event that is kept."
        ),
    ] = None
    wait: Annotated[
        int,
        Meta(
            description="In the feed: how many seconds the answer may wait for an event where there is none yet.",
            ge=0,
            le=30,
        ),
    ] = 0

    include: Include = None

    # Parameters that say how events are read, not which.
    not_filters: ClassVar[frozenset[str]] = frozenset({"order", "after", "wait", "include"})
    exported: ClassVar[frozenset[str]] = frozenset({"include"})


class OneEventQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    include: Include = None


class EventTypeDescription(Record, frozen=True):
    """An entry of the catalogue."""

    type: str
    description: str
    fields: Annotated[list[str], Meta(description="What `data.object` holds.")]
    previous_attributes: Annotated[bool, Meta(description="Whether `data.previousAttributes` is present.")]
    permission: Annotated[
        Permission,
        Meta(description="Shows the record, and so the events of this type: who lacks it gets none."),
    ]


class FoundEvent(NamedTuple):
    type: str
    body: bytes
    actor: str | None


class Change(msgspec.Struct, frozen=True):
    """A field before and after an event, in words."""

    field: str
    before: Any
    after: Any
    # Events of some types show the previous value of a field alone.
    shows_after: bool
    # Both are Unix seconds.
    is_moment: bool


class HistoryEntry(msgspec.Struct, frozen=True):
    created: int
    title: str
    changes: list[Change]
    actor: Actor | None
