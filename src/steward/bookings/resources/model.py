"""Bookable resources: rooms, desks, parking lots, equipment and vehicles that one party has at a time."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain.archiving import NOT_TAKEN, is_archived
from steward.kit.domain.fields import (
    MUST,
    ArchivedAt,
    Body,
    ExternalId,
    Identifier,
    Metadata,
    Name,
    Record,
    Seconds,
)
from steward.kit.domain.list_query import Archived, PageQuery, Several, UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of
from steward.kit.security.permissions import Either, Permission
from steward.locations.model import LocatedPageQuery

# Everyone who books may see resources and when they are free.
LOOKS = Either(Permission.BOOKINGS_READ, Permission.BOOKINGS_BOOK, "")


class ResourceType(StrEnum):
    ROOM = "Room"
    DESK = "Desk"
    PARKING = "Parking"
    EQUIPMENT = "Equipment"
    VEHICLE = "Vehicle"


Capacity = Annotated[int, Meta(ge=1, le=100_000, description="How many people or things it holds.")]
BufferMinutes = Annotated[int, Meta(ge=0, le=1440, description="What must lie between two bookings.")]
ReleaseMinutes = Annotated[
    int,
    Meta(ge=1, le=1440, description="How long after its start a booking waits for somebody to check in."),
]


Feature = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=50,
        pattern=r"^[^\s,]([^,]*[^\s,])?$",
        extra={MUST: "be a short text without commas, such as whiteboard"},
        examples=["whiteboard"],
    ),
]
Features = Annotated[list[Feature], Meta(max_length=50, description="What it has, such as a projector.")]


class BookableResource(Record, frozen=True, kw_only=True):
    filter_name: ClassVar[str | None] = "resourceId"
    filterable: ClassVar[tuple[str, ...]] = ("location_id",)

    id: str
    name: str
    type: ResourceType
    location_id: str | None = None
    capacity: int | None = None
    features: list[str] = []
    buffer_minutes: int
    check_in_required: bool
    release_after_minutes: int
    active: Annotated[bool, Meta(description="Only an active resource takes bookings.")]
    external_id: str | None = None
    metadata: dict[str, Any] = {}
    archived_at: ArchivedAt = None
    created: Seconds
    updated: Seconds

    @property
    def bookable(self) -> bool:
        return self.active and not is_archived(self)

    @property
    def buffer_seconds(self) -> int:
        return self.buffer_minutes * 60

    @property
    def check_in_seconds(self) -> int | None:
        """How long a booking waits for a check-in; None if none is required."""
        return self.release_after_minutes * 60 if self.check_in_required else None


class NewBookableResource(Body, frozen=True):
    not_taken = NOT_TAKEN

    name: Name
    type: ResourceType
    location_id: Identifier | None = None
    capacity: Capacity | None = None
    features: Features = []
    buffer_minutes: BufferMinutes = 0
    check_in_required: bool = False
    release_after_minutes: ReleaseMinutes = 15
    active: bool = True
    external_id: ExternalId | None = None
    metadata: Metadata = {}


@changes_of(NewBookableResource)
class BookableResourceChanges(Body, frozen=True):
    not_taken = NOT_TAKEN

    features: Features | UnsetType | None = UNSET


class BookableResourceQuery(LocatedPageQuery, frozen=True):
    type: Several[ResourceType] | None = None
    active: bool | None = None
    external_id: ExternalId | None = None
    updated_after: UpdatedAfter = None
    archived: Archived = False
    q: Annotated[str | None, Meta(description="Words to be found in the name.")] = None


class FreeResourceQuery(PageQuery, frozen=True):
    """`filters` makes one condition of the start and the end."""

    from_: Annotated[Seconds, Meta(description="Unix seconds.")] = msgspec.field(name="from")
    to: Annotated[Seconds, Meta(description="Unix seconds, at most 31 days later.")]
    capacity: Annotated[Capacity | None, Meta(description="Holds at least so many.")] = None
    location_id: Annotated[
        Several[Identifier] | None, Meta(description="At this location, or at one that lies in it.")
    ] = None
    type: Several[ResourceType] | None = None
    features: Annotated[
        Features | None,
        Meta(description="Has all of these, separated by commas; upper and lower case are the same."),
    ] = None

    def filters(self) -> dict[str, Any]:
        given = super().filters()
        start, end = given.pop("from_"), given.pop("to")
        return {"free": [start, end], **given}


CONSTRAINTS: Constraints = {
    "bookable_resources_external_id_unique": Taken(
        "A bookable resource with this externalId exists already."
    ),
    "bookable_resources_location": Reference("locationId", "location", "bookable resources"),
}

EXAMPLE = example_of(
    BookableResource,
    id="rsc_00064a1b2c3d4e5f60718293a4b5",
    name="Meeting room Elbe",
    type=ResourceType.ROOM,
    location_id="loc_00064a1b2c3d4e5f60718293a4b5",
    capacity=8,
    features=["screen", "whiteboard"],
    buffer_minutes=15,
    check_in_required=True,
    release_after_minutes=15,
    active=True,
    external_id="ROOM-ELBE",
    metadata={"floorPlan": "3.12"},
)
