"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import ItemError


class BusySlot(Model, kw_only=True):
    start_time: int
    """Unix seconds."""
    end_time: int
    """Unix seconds."""
    booking_id: str


class Slot(Model, kw_only=True):
    start_time: int
    """Unix seconds."""
    end_time: int
    """Unix seconds."""


class Availability(Record, kw_only=True):
    """`busy` shows the bookings as they are, `free` where a booking may be: the buffer is subtracted already."""

    resource_id: str
    from_: int
    """Unix seconds."""
    to: int
    """Unix seconds."""
    busy: list[BusySlot]
    free: list[Slot]


class ResourceType(OpenEnum):
    DESK = "Desk"
    EQUIPMENT = "Equipment"
    PARKING = "Parking"
    ROOM = "Room"
    VEHICLE = "Vehicle"


ResourceTypeLike: TypeAlias = ResourceType | Literal["Desk", "Equipment", "Parking", "Room", "Vehicle"]


class BookableResource(Record, kw_only=True):
    id: str
    name: str
    type: ResourceType
    location_id: str | None = None
    capacity: int | None = None
    features: list[str] = []
    buffer_minutes: int
    check_in_required: bool
    release_after_minutes: int
    active: bool
    """Only an active resource takes bookings."""
    external_id: str | None = None
    metadata: dict[str, Any] = {}
    archived_at: int | None = None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class BookableResourceChanges(Model, kw_only=True):
    name: str | UnsetType = UNSET
    type: ResourceTypeLike | UnsetType = UNSET
    location_id: str | UnsetType | None = UNSET
    capacity: int | UnsetType | None = UNSET
    """How many people or things it holds."""
    features: Sequence[str] | UnsetType | None = UNSET
    """What it has, such as a projector."""
    buffer_minutes: int | UnsetType = UNSET
    """What must lie between two bookings."""
    check_in_required: bool | UnsetType = UNSET
    release_after_minutes: int | UnsetType = UNSET
    """How long after its start a booking waits for somebody to check in."""
    active: bool | UnsetType = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType | None = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class BookableResourceMove(OpenEnum):
    ARCHIVE = "archive"
    RESTORE = "restore"


BookableResourceMoveLike: TypeAlias = BookableResourceMove | Literal["archive", "restore"]


class NewBookableResource(Model, kw_only=True):
    name: str
    type: ResourceTypeLike
    location_id: str | UnsetType | None = UNSET
    capacity: int | UnsetType | None = UNSET
    """How many people or things it holds."""
    features: Sequence[str] | UnsetType = UNSET
    """What it has, such as a projector."""
    buffer_minutes: int | UnsetType = UNSET
    """What must lie between two bookings."""
    check_in_required: bool | UnsetType = UNSET
    release_after_minutes: int | UnsetType = UNSET
    """How long after its start a booking waits for somebody to check in."""
    active: bool | UnsetType = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class BookableResourceBatchItem(Model, kw_only=True):
    create: NewBookableResource | Mapping[str, Any] | UnsetType = UNSET
    change: BookableResourceChanges | Mapping[str, Any] | UnsetType = UNSET
    replace: NewBookableResource | Mapping[str, Any] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    external_id: str | UnsetType = UNSET
    """What another system calls it; unique within the organization and kind."""
    if_match: str | UnsetType = UNSET
    move: BookableResourceMoveLike | UnsetType = UNSET
    body: Mapping[str, Any] | UnsetType = UNSET
    delete: bool | UnsetType = UNSET
    """`true`."""


class BookableResourceBatch(Model, kw_only=True):
    items: Sequence[BookableResourceBatchItem | Mapping[str, Any]]
    atomic: bool | UnsetType = UNSET


class BookableResourceBatchResult(Model, kw_only=True):
    index: int
    status: int
    """What the operation by itself answers."""
    data: BookableResource | None
    """Null when it was deleted, too."""
    etag: str | None
    """As in the header, with its quotes. For `ifMatch`."""
    error: ItemError | None


class BookableResourceBatchReport(Record, kw_only=True):
    atomic: bool
    succeeded: int
    failed: int
    results: list[BookableResourceBatchResult]


class BookableResourcesSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    NAME_DESCENDING = "-name"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    NAME = "name"
    UPDATED = "updated"


BookableResourcesSortLike: TypeAlias = (
    BookableResourcesSort | Literal["-created", "-name", "-updated", "created", "name", "updated"]
)


class CalendarLink(Record, kw_only=True):
    """As it is shown once."""

    url: str
    """The whole address. It needs no other credentials."""


class MadeCalendarLink(Record, kw_only=True):
    """What is stored of a link; its address isn't."""

    resource_id: str
    created: int
    """Unix seconds."""
