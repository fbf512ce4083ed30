from collections.abc import Iterable
from functools import partial

from msgspec.structs import replace

from steward.bookings.model import EXAMPLE, Booking, BookingStatus
from steward.kit.events.event_types import EventType, event_type
from steward.kit.security.permissions import Permission

_define = partial(event_type, permission=Permission.BOOKINGS_READ)

_WHOLE = "id resource_id resource_name location_id booked_by start_time end_time status created"
_TOLD = "title resource_id resource_name location_id start_time end_time external_id metadata"
# Attendees are personal data: an event says that they changed, and not how.
_CHANGEABLE = (*_TOLD.split(), "attendees")

CREATED = _define("booking.created", "Booking made.", EXAMPLE, _WHOLE)
UPDATED = _define(
    "booking.updated",
    "Title, time, resource or attendees changed.",
    EXAMPLE,
    _WHOLE,
    previous=_TOLD,
    was={"end_time": 1767265200},
)
CANCELLED = _define(
    "booking.cancelled",
    "Booking cancelled.",
    replace(
        EXAMPLE,
        status=BookingStatus.CANCELLED,
        cancelled_by=EXAMPLE.booked_by,
        cancelled_at=1767240000,
        release_at=None,
    ),
    "id resource_id status cancelled_by cancelled_at created",
    was_status=BookingStatus.CONFIRMED,
)
CHECKED_IN = _define(
    "booking.checked_in",
    "Somebody checked in.",
    replace(EXAMPLE, status=BookingStatus.CHECKED_IN, checked_in_at=1767257900, release_at=None),
    "id resource_id status checked_in_at created",
    was_status=BookingStatus.CONFIRMED,
)
NO_SHOW = _define(
    "booking.no_show",
    "Nobody checked in in time, and the slot is free again.",
    replace(EXAMPLE, status=BookingStatus.NO_SHOW, release_at=None),
    _WHOLE,
    was_status=BookingStatus.CONFIRMED,
)


def change_events(old: Booking, new: Booking) -> Iterable[EventType]:
    if any(getattr(old, field) != getattr(new, field) for field in _CHANGEABLE):
        yield UPDATED
