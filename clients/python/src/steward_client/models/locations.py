"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import ItemError


class LocationType(OpenEnum):
    BUILDING = "Building"
    FLOOR = "Floor"
    SITE = "Site"
    SPACE = "Space"
    ZONE = "Zone"


LocationTypeLike: TypeAlias = LocationType | Literal["Building", "Floor", "Site", "Space", "Zone"]


class Location(Record, kw_only=True):
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
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class LocationChanges(Model, kw_only=True):
    name: str | UnsetType = UNSET
    type: LocationTypeLike | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    parent_id: str | UnsetType | None = UNSET
    code: str | UnsetType | None = UNSET
    """Unique within the organization."""
    address: Mapping[str, Any] | UnsetType | None = UNSET
    """Free-form: street, city, postal code …"""
    timezone: str | UnsetType | None = UNSET
    """An IANA name."""
    latitude: float | UnsetType | None = UNSET
    longitude: float | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType | None = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class LocationMove(OpenEnum):
    ARCHIVE = "archive"
    RESTORE = "restore"


LocationMoveLike: TypeAlias = LocationMove | Literal["archive", "restore"]


class NewLocation(Model, kw_only=True):
    name: str
    type: LocationTypeLike
    description: str | UnsetType | None = UNSET
    parent_id: str | UnsetType | None = UNSET
    code: str | UnsetType | None = UNSET
    """Unique within the organization."""
    address: Mapping[str, Any] | UnsetType | None = UNSET
    """Free-form: street, city, postal code …"""
    timezone: str | UnsetType | None = UNSET
    """An IANA name."""
    latitude: float | UnsetType | None = UNSET
    longitude: float | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class LocationBatchItem(Model, kw_only=True):
    create: NewLocation | Mapping[str, Any] | UnsetType = UNSET
    change: LocationChanges | Mapping[str, Any] | UnsetType = UNSET
    replace: NewLocation | Mapping[str, Any] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    external_id: str | UnsetType = UNSET
    """What another system calls it; unique within the organization and kind."""
    if_match: str | UnsetType = UNSET
    move: LocationMoveLike | UnsetType = UNSET
    body: Mapping[str, Any] | UnsetType = UNSET
    delete: bool | UnsetType = UNSET
    """`true`."""


class LocationBatch(Model, kw_only=True):
    items: Sequence[LocationBatchItem | Mapping[str, Any]]
    atomic: bool | UnsetType = UNSET


class LocationBatchResult(Model, kw_only=True):
    index: int
    status: int
    """What the operation by itself answers."""
    data: Location | None
    """Null when it was deleted, too."""
    etag: str | None
    """As in the header, with its quotes. For `ifMatch`."""
    error: ItemError | None


class LocationBatchReport(Record, kw_only=True):
    atomic: bool
    succeeded: int
    failed: int
    results: list[LocationBatchResult]


class LocationsSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    NAME_DESCENDING = "-name"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    NAME = "name"
    UPDATED = "updated"


LocationsSortLike: TypeAlias = (
    LocationsSort | Literal["-created", "-name", "-updated", "created", "name", "updated"]
)
