"""Locations: a tree of sites, buildings, floors, spaces and zones."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType

from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain.archiving import NOT_TAKEN
from steward.kit.domain.fields import (
    ArchivedAt,
    Body,
    ExternalId,
    Identifier,
    Metadata,
    Name,
    Record,
    Seconds,
    Text,
)
from steward.kit.domain.list_query import Archived, Several, SortedPageQuery, UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of


class LocationType(StrEnum):
    SITE = "Site"
    BUILDING = "Building"
    FLOOR = "Floor"
    SPACE = "Space"
    ZONE = "Zone"


Code = Annotated[str, Meta(min_length=1, max_length=100)]
Latitude = Annotated[float, Meta(ge=-90, le=90)]
Longitude = Annotated[float, Meta(ge=-180, le=180)]
TimeZone = Annotated[str, Meta(max_length=64, description="An IANA name.", examples=["Europe/Berlin"])]
Address = Annotated[dict[str, Any], Meta(description="Free-form: street, city, postal code …", max_length=50)]


class Location(Record, frozen=True):
    filter_name: ClassVar[str | None] = "locationId"
    filter_parent: ClassVar[str | None] = "parent_id"

    id: str
    name: str
    description: str | None
    parent_id: str | None
    type: LocationType
    code: str | None
    address: dict[str, Any] | None
    timezone: str | None
    latitude: float | None
    longitude: float | None
    external_id: str | None
    metadata: dict[str, Any]
    archived_at: ArchivedAt
    created: Seconds
    updated: Seconds


class NewLocation(Body, frozen=True):
    not_taken = NOT_TAKEN

    name: Name
    type: LocationType
    description: Text | None = None
    parent_id: Identifier | None = None
    code: Annotated[Code | None, Meta(description="Unique within the organization.")] = None
    address: Address | None = None
    timezone: TimeZone | None = None
    latitude: Latitude | None = None
    longitude: Longitude | None = None
    external_id: ExternalId | None = None
    metadata: Metadata = {}


@changes_of(NewLocation)
class LocationChanges(Body, frozen=True):
    not_taken = NOT_TAKEN

    parent_id: Identifier | UnsetType | None = UNSET
    address: Address | UnsetType | None = UNSET


class LocatedPageQuery(SortedPageQuery, frozen=True):
    """For lists of records that have a location."""

    location_id: Annotated[
        Several[Identifier] | None,
        Meta(description="Only what is directly in this location, or with `includeDescendants` below it."),
    ] = None
    include_descendants: Annotated[
        bool | None,
        Meta(description="Lets `locationId` stand for everything that lies in the location, too."),
    ] = None

    @staticmethod
    def as_filters(given: dict[str, Any]) -> dict[str, Any]:
        filters = dict(given)
        if filters.pop("include_descendants", False) and "location_id" in filters:
            filters["within"] = filters.pop("location_id")
        return filters


class LocationQuery(SortedPageQuery, frozen=True):
    parent_id: Annotated[
        Several[Identifier] | None, Meta(description="Only what lies directly in this location.")
    ] = None
    type: Several[LocationType] | None = None
    code: Code | None = None
    external_id: ExternalId | None = None
    updated_after: UpdatedAfter = None
    archived: Archived = False
    q: Annotated[str | None, Meta(description="Words to be found in name or code.")] = None


CONSTRAINTS: Constraints = {
    "locations_parent": Reference("parentId", "location", "other locations"),
    "locations_external_id_unique": Taken("A location with this externalId exists already."),
    "locations_code_unique": Taken("A location with this code exists already."),
}

EXAMPLE = example_of(
    Location,
    id="loc_00064a1b2c3d4e5f60718293a4b5",
    name="Third floor",
    parent_id="loc_00064a1b2c3d4e5f60718293a4b4",
    type=LocationType.FLOOR,
    code="HH-3",
    timezone="Europe/Berlin",
    latitude=53.5413,
    longitude=9.9841,
    external_id="ERP-3-OG",
    metadata={"costCentre": "4711"},
)
