"""Tablets: a resource's present state under a secret address, for a screen beside its door."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from steward.bookings.model import Booking
from steward.bookings.resources.model import BookableResource
from steward.kit.coordination.rate_limiter import Limit
from steward.kit.domain.fields import Body, Identifier, Name, Record, Seconds

# A leaked link must not cause unbounded work: a tablet asks three times a minute.
VIEWS = Limit("tablet-views", 60, 60, "views with this link")
CHANGES = Limit("tablet-changes", 12, 60, "changes with this link")

MAX_TABLETS = 20
CHOICES_MINUTES = (15, 30, 60)
# Shorter gaps are too short for a meeting.
SHORTEST_SECONDS = 5 * 60
TITLE = "Booked at the door"


class Tablet(Record, frozen=True, kw_only=True):
    """A link; its holder sees the resource and acts for the person at the tablet."""

    id: str
    resource_id: str
    name: str
    created: Seconds
    last_used: Seconds | None = None


class NewTablet(Body, frozen=True):
    name: Name


class BookNow(Body, frozen=True):
    until: Annotated[Seconds, Meta(description="Unix seconds.")]


class ForBooking(Body, frozen=True):
    """The booking that the button referred to: the next one may have begun since."""

    booking_id: Identifier


class DoorState(StrEnum):
    FREE = "free"
    BOOKED = "booked"
    IN_USE = "in-use"


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """The screen's content.

    `current` has the resource now, `next` follows it, `check_in` accepts a check-in now; `book_until` are the
    possible ends of a booking that starts now, `book_from` is when the buffer after the last booking ends, if
    only that is missing.
    """

    resource: BookableResource
    state: DoorState
    until: int | None
    current: Booking | None
    next: Booking | None
    check_in: Booking | None
    book_until: tuple[int, ...]
    book_from: int | None
