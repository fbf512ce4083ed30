"""Visitors: expected, on site, gone. What is known of the person is erased some time after the visit; the visit stays."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from steward.kit.db.constraints import Constraints, Reference
from steward.kit.db.pagination import PageQuery
from steward.kit.domain.fields import Body, Email, Identifier, Name, Record, Seconds
from steward.kit.domain.moves import Move, Moves
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Conflict
from steward.kit.events.event_types import event_type

# What makes a visitor a person, under the same names in the record, its table and its events.
PERSONAL = ("name", "email", "company")


class VisitorStatus(StrEnum):
    REGISTERED = "Registered"
    CHECKED_IN = "CheckedIn"
    CHECKED_OUT = "CheckedOut"
    CANCELLED = "Cancelled"


class Visitor(Record, frozen=True):
    id: str
    name: Annotated[
        str | None, Meta(description="Null once it is erased, as are e-mail address and company.")
    ]
    email: str | None
    company: str | None
    host_id: str | None
    location_id: str | None
    expected_arrival: Seconds | None
    status: VisitorStatus
    checked_in_at: Seconds | None
    checked_out_at: Seconds | None
    erased_at: Annotated[Seconds | None, Meta(description="When the personal data was erased.")]
    created: Seconds


class NewVisitor(Body, frozen=True):
    name: Name
    email: Email | None = None
    company: Name | None = None
    host_id: Annotated[
        Identifier | None, Meta(description="A user of the organization; the caller, when absent.")
    ] = None
    location_id: Identifier | None = None
    expected_arrival: Seconds | None = None


class VisitorChanges(Body, frozen=True):
    name: Name | UnsetType = UNSET
    email: Email | UnsetType | None = UNSET
    company: Name | UnsetType | None = UNSET
    host_id: Identifier | UnsetType | None = UNSET
    location_id: Identifier | UnsetType | None = UNSET
    expected_arrival: Seconds | UnsetType | None = UNSET


class VisitorQuery(PageQuery, frozen=True):
    status: Annotated[VisitorStatus | None, Meta(description="`CheckedIn` is who is on site.")] = None
    host_id: Identifier | None = None
    location_id: Identifier | None = None
    expected_after: Annotated[Seconds | None, Meta(description="Expected later than this second.")] = None
    expected_before: Annotated[Seconds | None, Meta(description="Expected earlier than this second.")] = None
    q: Annotated[str | None, Meta(description="Words to be found in name or company.")] = None


CONSTRAINTS: Constraints = {
    "visitors_host": Reference("hostId", "user", "visitors"),
    "visitors_location": Reference("locationId", "location", "visitors"),
}

EXAMPLE = Visitor(
    id="vis_00064a1b2c3d4e5f60718293a4b5",
    name="Ada Lovelace",
    email="ada@example.com",
    company="Analytical Engines",
    host_id="usr_00064a1b2c3d4e5f60718293a4b5",
    location_id="loc_00064a1b2c3d4e5f60718293a4b5",
    expected_arrival=1767258000,
    status=VisitorStatus.REGISTERED,
    checked_in_at=None,
    checked_out_at=None,
    erased_at=None,
    created=1767225600,
)
_ARRIVED = replace(EXAMPLE, status=VisitorStatus.CHECKED_IN, checked_in_at=1767258120)
_GONE = replace(_ARRIVED, status=VisitorStatus.CHECKED_OUT, checked_out_at=1767265320)

REGISTERED = event_type(
    "visitor.registered",
    "Visitor pre-registered.",
    EXAMPLE,
    "id name email company host_id location_id expected_arrival status created",
)
CHECKED_IN = event_type(
    "visitor.checked_in",
    "Visitor checks in.",
    _ARRIVED,
    "id name status checked_in_at created",
    previous="status",
    was={"status": VisitorStatus.REGISTERED},
)
CHECKED_OUT = event_type(
    "visitor.checked_out",
    "Visitor checks out.",
    _GONE,
    "id name status checked_out_at created",
    previous="status",
    was={"status": VisitorStatus.CHECKED_IN},
)

MOVES = Moves(
    "visitor",
    [
        Move("check-in", (VisitorStatus.REGISTERED,), VisitorStatus.CHECKED_IN, CHECKED_IN),
        Move("check-out", (VisitorStatus.CHECKED_IN,), VisitorStatus.CHECKED_OUT, CHECKED_OUT),
        Move("cancel", (VisitorStatus.REGISTERED,), VisitorStatus.CANCELLED),
    ],
)


def change(visitor: Visitor, changes: VisitorChanges) -> Visitor:
    if visitor.status != VisitorStatus.REGISTERED:
        raise Conflict(f"A visitor that is {visitor.status} can't be changed any more.")
    _refuse_erased(visitor)
    return apply(visitor, changes)


def checked_in(visitor: Visitor, now: int) -> Visitor:
    _refuse_erased(visitor)
    return replace(visitor, checked_in_at=now)


def checked_out(visitor: Visitor, now: int) -> Visitor:
    """Also possible once erased: who forgot to check out must not stay on the evacuation list for ever."""
    return replace(visitor, checked_out_at=now)


def refuse_on_site(visitor: Visitor) -> None:
    """Nobody is to be missing from the evacuation list by name; once erased there is nothing left to refuse."""
    if visitor.status == VisitorStatus.CHECKED_IN and visitor.erased_at is None:
        raise Conflict("A visitor that is CheckedIn can't be erased; check them out first.")


def _refuse_erased(visitor: Visitor) -> None:
    if visitor.erased_at is not None:
        raise Conflict("This visitor has been erased; register them anew.")


def without_personal_data(body: bytes) -> bytes:
    """The body of an event, as it was but for what made its visitor a person."""
    envelope = msgspec.json.decode(body)
    for part in envelope["data"].values():
        part.update({name: None for name in PERSONAL if name in part})
    return msgspec.json.encode(envelope)
