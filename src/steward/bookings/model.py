"""Bookings: somebody has a resource from one time to another."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.bookings.resources import model as resources
from steward.bookings.slots import BookingConflict, BusySlot, Slot
from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain.fields import (
    MUST,
    ActingPerson,
    Body,
    Email,
    ExternalId,
    Identifier,
    Metadata,
    Name,
    Record,
    Seconds,
)
from steward.kit.domain.list_query import Several, UpdatedAfter
from steward.kit.domain.problems import MEMBERS
from steward.kit.domain.shared_fields import changes_of, example_of
from steward.kit.security.permissions import Either, Permission
from steward.locations.model import LocatedPageQuery

# Everyone who books may see what is taken; by whom and for what needs the wider permission.
READS = Either(
    Permission.BOOKINGS_READ,
    Permission.BOOKINGS_BOOK,
    "with which bookings of others show neither who nor what for",
)
BOOKS = Either(Permission.BOOKINGS_WRITE, Permission.BOOKINGS_BOOK)
OTHERS_SEE = (
    "id",
    "resource_id",
    "resource_name",
    "location_id",
    "start_time",
    "end_time",
    "status",
    "release_at",
    "created",
    "updated",
)


class BookingStatus(StrEnum):
    CONFIRMED = "Confirmed"
    CANCELLED = "Cancelled"
    CHECKED_IN = "CheckedIn"
    NO_SHOW = "NoShow"


class Scope(StrEnum):
    ONE = "one"
    FOLLOWING = "following"
    ALL = "all"


class Attendee(Body, frozen=True):
    email: Email
    name: Name | None = None


Attendees = Annotated[
    list[Attendee], Meta(max_length=200, description="Who comes; each e-mail address once.")
]
Recurrence = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=500,
        description="A rule of RFC 5545 (`RRULE`) with COUNT or UNTIL, from days to years, for at most 366 dates and ten "
        "years. Its dates keep their time of day in the location's zone; `startTime` is the first of them.",
        examples=["FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10"],
    ),
]
Exceptions = Annotated[
    list[
        Annotated[
            str,
            Meta(
                pattern=r"^\d{4}-\d{2}-\d{2}$",
                extra={MUST: "be a date, such as 2026-12-24"},
                examples=["2026-12-24"],
            ),
        ]
    ],
    Meta(max_length=366, description="Days of the recurrence that are left out."),
]


class Booking(Record, frozen=True, kw_only=True):
    """Name and location of the resource are those at the time of booking."""

    filterable: ClassVar[tuple[str, ...]] = ("location_id", "resource_id")

    id: str
    title: str | None = None
    resource_id: str
    resource_name: str
    location_id: str | None = None
    booked_by: str | None = None
    start_time: Seconds
    end_time: Annotated[Seconds, Meta(description="Unix seconds; the resource is free again from here.")]
    status: BookingStatus = BookingStatus.CONFIRMED
    cancelled_by: str | None = None
    cancelled_at: Seconds | None = None
    checked_in_at: Seconds | None = None
    external_id: str | None = None
    metadata: dict[str, Any] = {}
    release_at: Annotated[
        Seconds | None,
        Meta(description="When the slot is released without a check-in; null if none is required."),
    ] = None
    attendees: list[Attendee] = []
    series_id: Annotated[str | None, Meta(description="What the dates of a recurring booking share.")] = None
    recurrence: Annotated[
        str | None,
        Meta(description="The rule by which the series was made; null once this date was changed by itself."),
    ] = None
    created: Seconds
    updated: Seconds

    @property
    def slot(self) -> Slot:
        return Slot(self.start_time, self.end_time)


class NewBooking(Body, frozen=True):
    resource_id: Identifier
    start_time: Seconds
    end_time: Seconds
    title: Name | None = None
    booked_by: Annotated[
        Identifier | None, Meta(description="A user of the organization; the caller, when absent.")
    ] = None
    attendees: Attendees = []
    recurrence: Recurrence | None = None
    exceptions: Exceptions = []
    external_id: ExternalId | None = None
    metadata: Metadata = {}


@changes_of(NewBooking, without="booked_by recurrence exceptions")
class BookingChanges(Body, frozen=True):
    title: Name | UnsetType | None = UNSET
    resource_id: Identifier | UnsetType = UNSET
    start_time: Seconds | UnsetType = UNSET
    end_time: Seconds | UnsetType = UNSET
    attendees: Attendees | UnsetType | None = UNSET


class Cancellation(Body, frozen=True):
    cancelled_by: ActingPerson = None


class BookingQuery(LocatedPageQuery, frozen=True):
    resource_id: Several[Identifier] | None = None
    booked_by: Several[Identifier] | None = None
    status: Several[BookingStatus] | None = None
    series_id: Annotated[
        Several[Identifier] | None, Meta(description="The dates of one recurring booking.")
    ] = None
    external_id: ExternalId | None = None
    from_: Annotated[
        Seconds | None,
        Meta(
            description="With `to`: what touches this time, such as a day; what ended in this second doesn't."
        ),
    ] = msgspec.field(default=None, name="from")
    to: Annotated[Seconds | None, Meta(description="What begins before this second; see `from`.")] = None
    starts_after: Seconds | None = None
    starts_before: Seconds | None = None
    ends_after: Seconds | None = None
    updated_after: UpdatedAfter = None


class ScopeQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    scope: Annotated[
        Scope,
        Meta(
            description="Of a recurring booking: this date, this and those after it, or all. What has begun stays as it is, "
            "and dates that were changed by themselves stay unless they are cancelled."
        ),
    ] = Scope.ONE


class AvailabilityQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    from_: Annotated[Seconds | None, Meta(description="Unix seconds; now, when absent.")] = msgspec.field(
        default=None, name="from"
    )
    to: Annotated[
        Seconds | None,
        Meta(description="Unix seconds, at most 62 days later; a week later, when absent."),
    ] = None


class Availability(Record, frozen=True, kw_only=True):
    """`busy` shows the bookings as they are, `free` where a booking may be: the buffer is subtracted already."""

    resource_id: str
    from_: Seconds = msgspec.field(name="from")
    to: Seconds
    busy: list[BusySlot]
    free: list[Slot]


MEMBERS |= {"conflicts": (list[BookingConflict], []), "nextFree": (Slot | None, None)}

CONSTRAINTS: Constraints = {
    "bookings_external_id_unique": Taken("A booking with this externalId exists already."),
    "bookings_resource": Reference("resourceId", "bookable resource", "bookings"),
    "bookings_location": Reference("locationId", "location", "bookings"),
    "bookings_booker": Reference("bookedBy", "user", "bookings"),
    "bookings_canceller": Reference("cancelledBy", "user", "bookings"),
}

EXAMPLE = example_of(
    Booking,
    id="bkg_00064a1b2c3d4e5f60718293a4b5",
    title="Weekly planning",
    resource_id=resources.EXAMPLE.id,
    resource_name=resources.EXAMPLE.name,
    location_id=resources.EXAMPLE.location_id,
    booked_by="usr_00064a1b2c3d4e5f60718293a4b5",
    start_time=1767258000,
    end_time=1767261600,
    release_at=1767258900,
    attendees=[Attendee(email="ada@example.com", name="Ada Lovelace")],
    external_id="OUTLOOK-7f3a",
)
