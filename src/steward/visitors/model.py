"""Visitors: expected, on site, gone. Personal data is erased some time after the visit; the visit stays."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.kit.db.constraints import Constraints, Reference, Taken
from steward.kit.domain.fields import (
    MUST,
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
from steward.kit.domain.shared_fields import changes_of, example_of
from steward.locations.model import LocatedPageQuery

# The fields with personal data; free-form metadata may hold some, too.
PERSONAL = ("name", "email", "company", "phone", "vehicle", "external_id")


Phone = Annotated[
    str,
    Meta(
        max_length=40,
        pattern=r"^[+(]{0,2}[0-9][0-9 ()./-]*$",
        extra={MUST: "be a telephone number, such as +49 40 123456"},
        examples=["+49 40 123456"],
    ),
]
Vehicle = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S", examples=["HH AL 1815"])]


class VisitorStatus(StrEnum):
    REGISTERED = "Registered"
    CHECKED_IN = "CheckedIn"
    CHECKED_OUT = "CheckedOut"
    CANCELLED = "Cancelled"


class Visitor(Record, frozen=True):
    filterable: ClassVar[tuple[str, ...]] = ("location_id",)

    id: str
    name: Annotated[str | None, Meta(description="Null once it is erased, as is all else that is personal.")]
    email: str | None
    company: str | None
    phone: str | None
    vehicle: Annotated[str | None, Meta(description="Its licence plate, or what it looks like.")]
    host_id: str | None
    location_id: str | None
    expected_arrival: Seconds | None
    status: VisitorStatus
    checked_in_at: Seconds | None
    checked_out_at: Seconds | None
    external_id: Annotated[str | None, Meta(description="Erased with the name, as is metadata.")]
    metadata: dict[str, Any]
    erased_at: Annotated[Seconds | None, Meta(description="When the personal data was erased.")]
    created: Seconds
    updated: Seconds


class NewVisitor(Body, frozen=True):
    name: Name
    email: Email | None = None
    company: Name | None = None
    phone: Phone | None = None
    vehicle: Vehicle | None = None
    host_id: Annotated[
        Identifier | None, Meta(description="A user of the organization; the caller, when absent.")
    ] = None
    location_id: Identifier | None = None
    expected_arrival: Seconds | None = None
    external_id: ExternalId | None = None
    metadata: Metadata = {}
    check_in: Annotated[
        bool, Meta(description="For somebody who just walks in: registered and checked in at once.")
    ] = False


@changes_of(NewVisitor, without="check_in")
class VisitorChanges(Body, frozen=True):
    host_id: Identifier | UnsetType | None = UNSET


class VisitorQuery(LocatedPageQuery, frozen=True):
    status: Annotated[Several[VisitorStatus] | None, Meta(description="`CheckedIn` is who is on site.")] = (
        None
    )
    host_id: Several[Identifier] | None = None
    external_id: ExternalId | None = None
    from_: Annotated[
        Seconds | None,
        Meta(
            description="With `to`: who was to come in this time, such as a day. Who was registered without a time was to come "
            "at once."
        ),
    ] = msgspec.field(default=None, name="from")
    to: Annotated[Seconds | None, Meta(description="Who was to come before this second; see `from`.")] = None
    expected_after: Annotated[Seconds | None, Meta(description="Expected later than this second.")] = None
    expected_before: Annotated[Seconds | None, Meta(description="Expected earlier than this second.")] = None
    updated_after: UpdatedAfter = None
    q: Annotated[str | None, Meta(description="Words to be found in name, company or e-mail address.")] = None


CONSTRAINTS: Constraints = {
    "visitors_external_id_unique": Taken("A visitor with this externalId exists already."),
    "visitors_host": Reference("hostId", "user", "visitors"),
    "visitors_location": Reference("locationId", "location", "visitors"),
}

EXAMPLE = example_of(
    Visitor,
    id="vis_00064a1b2c3d4e5f60718293a4b5",
    name="Ada Lovelace",
    email="ada@example.com",
    company="Analytical Engines",
    phone="+49 40 123456",
    vehicle="HH AL 1815",
    host_id="usr_00064a1b2c3d4e5f60718293a4b5",
    location_id="loc_00064a1b2c3d4e5f60718293a4b5",
    expected_arrival=1767258000,
    status=VisitorStatus.REGISTERED,
    external_id="GATE-0815",
    metadata={"badge": "blue"},
)
