"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import ItemError


class Attendee(Model, kw_only=True):
    email: str
    name: str | None = None


class BookingStatus(OpenEnum):
    CANCELLED = "Cancelled"
    CHECKED_IN = "CheckedIn"
    CONFIRMED = "Confirmed"
    NO_SHOW = "NoShow"


BookingStatusLike: TypeAlias = BookingStatus | Literal["Cancelled", "CheckedIn", "Confirmed", "NoShow"]


class Booking(Record, kw_only=True):
    """Name and location of the resource are those at the time of booking."""

    id: str
    title: str | None = None
    resource_id: str
    resource_name: str
    location_id: str | None = None
    booked_by: str | None = None
    start_time: int
    """Unix seconds."""
    end_time: int
    """Unix seconds; the resource is free again from here."""
    status: BookingStatus = BookingStatus("Confirmed")
    cancelled_by: str | None = None
    cancelled_at: int | None = None
    """Unix seconds."""
    checked_in_at: int | None = None
    """Unix seconds."""
    external_id: str | None = None
    metadata: dict[str, Any] = {}
    release_at: int | None = None
    """When the slot is released without a check-in; null if none is required."""
    attendees: list[Attendee] = []
    series_id: str | None = None
    """What the dates of a recurring booking share."""
    recurrence: str | None = None
    """The rule by which the series was made; null once this date was changed by itself."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class BookingChanges(Model, kw_only=True):
    resource_id: str | UnsetType = UNSET
    start_time: int | UnsetType = UNSET
    """Unix seconds."""
    end_time: int | UnsetType = UNSET
    """Unix seconds."""
    title: str | UnsetType | None = UNSET
    attendees: Sequence[Attendee | Mapping[str, Any]] | UnsetType | None = UNSET
    """Who comes; each e-mail address once."""
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType | None = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class BookingMove(OpenEnum):
    CANCEL = "cancel"
    CHECK_IN = "check-in"


BookingMoveLike: TypeAlias = BookingMove | Literal["cancel", "check-in"]


class NewBooking(Model, kw_only=True):
    resource_id: str
    start_time: int
    """Unix seconds."""
    end_time: int
    """Unix seconds."""
    title: str | UnsetType | None = UNSET
    booked_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent."""
    attendees: Sequence[Attendee | Mapping[str, Any]] | UnsetType = UNSET
    """Who comes; each e-mail address once."""
    recurrence: str | UnsetType | None = UNSET
    """A rule of RFC 5545 (`RRULE`) with COUNT or UNTIL, from days to years, for at most 366 dates and ten
    years. Its dates keep their time of day in the location's zone; `startTime` is the first of them.
    """
    exceptions: Sequence[str] | UnsetType = UNSET
    """Days of the recurrence that are left out."""
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class BookingBatchItem(Model, kw_only=True):
    create: NewBooking | Mapping[str, Any] | UnsetType = UNSET
    change: BookingChanges | Mapping[str, Any] | UnsetType = UNSET
    replace: NewBooking | Mapping[str, Any] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    external_id: str | UnsetType = UNSET
    """What another system calls it; unique within the organization and kind."""
    if_match: str | UnsetType = UNSET
    move: BookingMoveLike | UnsetType = UNSET
    body: Mapping[str, Any] | UnsetType = UNSET


class BookingBatch(Model, kw_only=True):
    items: Sequence[BookingBatchItem | Mapping[str, Any]]
    atomic: bool | UnsetType = UNSET


class BookingBatchResult(Model, kw_only=True):
    index: int
    status: int
    """What the operation by itself answers."""
    data: Booking | None
    """Null when it was deleted, too."""
    etag: str | None
    """As in the header, with its quotes. For `ifMatch`."""
    error: ItemError | None


class BookingBatchReport(Record, kw_only=True):
    atomic: bool
    succeeded: int
    failed: int
    results: list[BookingBatchResult]


class BookingsSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    START_TIME_DESCENDING = "-startTime"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    START_TIME = "startTime"
    UPDATED = "updated"


BookingsSortLike: TypeAlias = (
    BookingsSort | Literal["-created", "-startTime", "-updated", "created", "startTime", "updated"]
)


class Cancellation(Model, kw_only=True):
    cancelled_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class Scope(OpenEnum):
    ALL = "all"
    FOLLOWING = "following"
    ONE = "one"


ScopeLike: TypeAlias = Scope | Literal["all", "following", "one"]
