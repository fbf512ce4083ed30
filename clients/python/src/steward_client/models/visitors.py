"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import ItemError


class NewVisitor(Model, kw_only=True):
    name: str
    email: str | UnsetType | None = UNSET
    company: str | UnsetType | None = UNSET
    phone: str | UnsetType | None = UNSET
    vehicle: str | UnsetType | None = UNSET
    host_id: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent."""
    location_id: str | UnsetType | None = UNSET
    expected_arrival: int | UnsetType | None = UNSET
    """Unix seconds."""
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""
    check_in: bool | UnsetType = UNSET
    """For somebody who just walks in: registered and checked in at once."""


class VisitorStatus(OpenEnum):
    CANCELLED = "Cancelled"
    CHECKED_IN = "CheckedIn"
    CHECKED_OUT = "CheckedOut"
    REGISTERED = "Registered"


VisitorStatusLike: TypeAlias = VisitorStatus | Literal["Cancelled", "CheckedIn", "CheckedOut", "Registered"]


class Visitor(Record, kw_only=True):
    id: str
    name: str | None
    """Null once it is erased, as is all else that is personal."""
    email: str | None
    company: str | None
    phone: str | None
    vehicle: str | None
    """Its licence plate, or what it looks like."""
    host_id: str | None
    location_id: str | None
    expected_arrival: int | None
    """Unix seconds."""
    status: VisitorStatus
    checked_in_at: int | None
    """Unix seconds."""
    checked_out_at: int | None
    """Unix seconds."""
    external_id: str | None
    """Erased with the name, as is metadata."""
    metadata: dict[str, Any]
    erased_at: int | None
    """When the personal data was erased."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class VisitorChanges(Model, kw_only=True):
    name: str | UnsetType = UNSET
    email: str | UnsetType | None = UNSET
    company: str | UnsetType | None = UNSET
    phone: str | UnsetType | None = UNSET
    vehicle: str | UnsetType | None = UNSET
    host_id: str | UnsetType | None = UNSET
    location_id: str | UnsetType | None = UNSET
    expected_arrival: int | UnsetType | None = UNSET
    """Unix seconds."""
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    metadata: Mapping[str, Any] | UnsetType | None = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""


class VisitorMove(OpenEnum):
    CANCEL = "cancel"
    CHECK_IN = "check-in"
    CHECK_OUT = "check-out"


VisitorMoveLike: TypeAlias = VisitorMove | Literal["cancel", "check-in", "check-out"]


class VisitorBatchItem(Model, kw_only=True):
    create: NewVisitor | Mapping[str, Any] | UnsetType = UNSET
    change: VisitorChanges | Mapping[str, Any] | UnsetType = UNSET
    replace: NewVisitor | Mapping[str, Any] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    external_id: str | UnsetType = UNSET
    """What another system calls it; unique within the organization and kind."""
    if_match: str | UnsetType = UNSET
    move: VisitorMoveLike | UnsetType = UNSET
    body: Mapping[str, Any] | UnsetType = UNSET
    delete: bool | UnsetType = UNSET
    """`true`."""


class VisitorBatch(Model, kw_only=True):
    items: Sequence[VisitorBatchItem | Mapping[str, Any]]
    atomic: bool | UnsetType = UNSET


class VisitorBatchResult(Model, kw_only=True):
    index: int
    status: int
    """What the operation by itself answers."""
    data: Visitor | None
    """Null when it was deleted, too."""
    etag: str | None
    """As in the header, with its quotes. For `ifMatch`."""
    error: ItemError | None


class VisitorBatchReport(Record, kw_only=True):
    atomic: bool
    succeeded: int
    failed: int
    results: list[VisitorBatchResult]


class VisitorsSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    EXPECTED_ARRIVAL_DESCENDING = "-expectedArrival"
    CREATED = "created"
    EXPECTED_ARRIVAL = "expectedArrival"


VisitorsSortLike: TypeAlias = (
    VisitorsSort | Literal["-created", "-expectedArrival", "created", "expectedArrival"]
)
