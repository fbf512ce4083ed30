from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.kit.db.pagination import PageQuery
from steward.kit.domain.fields import Record, Seconds

RETENTION_DAYS = 30

EventTypeName = Annotated[str, Meta(max_length=60, examples=["workorder.created"])]


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


class EventQuery(PageQuery, frozen=True):
    type: EventTypeName | None = None
    created_after: Annotated[Seconds | None, Meta(description="Only events after this second.")] = None


class EventTypeDescription(Record, frozen=True):
    """An entry of the catalogue."""

    type: str
    description: str
    fields: Annotated[list[str], Meta(description="What `data.object` holds.")]
    previous_attributes: Annotated[bool, Meta(description="Whether `data.previousAttributes` is present.")]


class Change(msgspec.Struct, frozen=True):
    """A field of a record before and after an event, for people to read."""

    field: str
    before: Any
    after: Any
    # Both are Unix seconds.
    is_moment: bool


class HistoryEntry(msgspec.Struct, frozen=True):
    created: int
    title: str
    changes: list[Change]
