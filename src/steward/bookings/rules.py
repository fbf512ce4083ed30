"""What the verbs do to a booking: pure functions from the old booking to the new one, or a Problem."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from steward.bookings.events import CANCELLED, CHECKED_IN, NO_SHOW
from steward.bookings.model import (
    BOOKS,
    Attendee,
    Availability,
    Booking,
    BookingChanges,
    BookingStatus,
    NewBooking,
)
from steward.bookings.resources.model import BookableResource
from steward.bookings.slots import BusySlot, Slot, apart, free_within
from steward.kit.domain.archiving import is_archived
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Conflict, ErrorDetail, Invalid, all_faults, refuse_faults, repeated
from steward.kit.domain.ranges import check_range
from steward.kit.domain.shared_fields import new_record
from steward.kit.records.moves import Move, MoveDetails, Moves
from steward.kit.security.caller import Caller, OwnOnly
from steward.kit.security.permissions import is_met

# The states that block a resource.
HOLDING = (BookingStatus.CONFIRMED, BookingStatus.CHECKED_IN)

DAY_SECONDS = 86_400
MAX_BOOKING_SECONDS = 31 * DAY_SECONDS
MAX_WINDOW_SECONDS = 62 * DAY_SECONDS
DEFAULT_WINDOW_SECONDS = 7 * DAY_SECONDS
# How long before the start check-in opens, where the buffer is shorter than this.
EARLY_CHECK_IN_SECONDS = 15 * 60
# How many bookings the window of an availability request may hold.
MAX_LISTED = 10_000


class CheckInClosed(Conflict):
    """Too early or too late to check in: it is open from `opens` until `closes`."""

    def __init__(self, message: str, opens: int, closes: int) -> None:
        super().__init__(message)
        self.opens = opens
        self.closes = closes


class BookingMoveDetails(MoveDetails, frozen=True):
    # What a check-in is about.
    resource: BookableResource | None = None


def check_in_opens(booking: Booking, resource: BookableResource) -> int:
    return booking.start_time - max(resource.buffer_seconds, EARLY_CHECK_IN_SECONDS)


def checked_in(booking: Booking, details: BookingMoveDetails) -> Booking:
    assert details.resource is not None  # noqa: S101 (every check-in brings it)
    opens, closes = check_in_opens(booking, details.resource), booking.end_time
    if details.now < opens:
        message = f"It is too early to check in; this booking takes check-ins from {opens} (Unix seconds) on."
        raise CheckInClosed(message, opens, closes)
    if details.now >= closes:
        message = f"It is too late to check in; this booking ended at {closes} (Unix seconds)."
        raise CheckInClosed(message, opens, closes)
    return replace(booking, release_at=None)


def released(booking: Booking, _details: BookingMoveDetails) -> Booking:
    """The resource can be booked for this time again."""
    return replace(booking, release_at=None)


_CONFIRMED = (BookingStatus.CONFIRMED,)
MOVES: Moves[Booking, BookingMoveDetails] = Moves(
    "booking",
    [
        Move("cancel", _CONFIRMED, BookingStatus.CANCELLED, CANCELLED, stamp="cancelled", then=released),
        Move(
            "check-in",
            _CONFIRMED,
            BookingStatus.CHECKED_IN,
            CHECKED_IN,
            stamp="checked_in",
            then=checked_in,
        ),
        # By a job, where no check-in came in time.
        Move("release", _CONFIRMED, BookingStatus.NO_SHOW, NO_SHOW, automatic=True, then=released),
    ],
)


def own_records_only(who: Caller) -> OwnOnly | None:
    """Callers who may only book act on bookings of their own; they see that there are others."""
    return who.own_records_only(BOOKS, visible_with=BOOKS.narrower)


def may_change(booking: Booking, who: Caller) -> bool:
    """By permission; the booking's state is checked elsewhere."""
    own = own_records_only(who)
    return is_met(BOOKS, who.permissions) and (own is None or booking.booked_by == own.user)


def check_booker(new: NewBooking, who: Caller) -> None:
    """Callers without the permission to write all bookings book in their own name."""
    who.refuse_sync_fields(BOOKS, new)
    if own_records_only(who) is not None:
        who.acting_as(new.booked_by, "bookedBy")


def check_new(new: NewBooking, now: int) -> None:
    with all_faults() as faults:
        faults.check(_check_times, Slot(new.start_time, new.end_time), now)
        faults.check(_check_attendees, new.attendees)


def new_booking(new: NewBooking, resource: BookableResource, by: str | None, now: int) -> Booking:
    """Of one that has been checked."""
    _require_bookable(resource)
    return new_record(
        Booking,
        "bkg",
        new,
        now,
        resource_name=resource.name,
        location_id=resource.location_id,
        booked_by=new.booked_by or by,
        release_at=_release_at(resource, new.start_time, now),
    )


def changed(booking: Booking, changes: BookingChanges, resource: BookableResource, now: int) -> Booking:
    """`resource` is its resource from now on."""
    if booking.status != BookingStatus.CONFIRMED:
        raise Conflict(f"A booking that is {booking.status} can't be changed; only a Confirmed one can.")
    new = apply(booking, changes)
    with all_faults() as faults:
        if changes.attendees is not UNSET:
            faults.check(_check_attendees, new.attendees)
        if takes_other_time(booking, new):
            faults.check(_check_times, new.slot, now)
    elsewhere = new.resource_id != booking.resource_id
    if elsewhere:
        new = replace(new, resource_name=resource.name, location_id=resource.location_id)
    if not takes_other_time(booking, new):
        return new
    _require_bookable(resource)
    if new.start_time == booking.start_time and not elsewhere:
        return new
    return replace(new, release_at=_release_at(resource, new.start_time, now))


def takes_other_time(old: Booking, new: Booking) -> bool:
    """Whether a changed booking can conflict with others."""
    return (old.resource_id, old.slot) != (new.resource_id, new.slot)


def is_running(booking: Booking, now: int) -> bool:
    return booking.status in HOLDING and booking.start_time <= now < booking.end_time


def ended_early(booking: Booking, now: int) -> Booking:
    """Ending early frees the rest of the time; no booking is shorter than a second."""
    if not is_running(booking, now):
        raise Conflict("Only a booking that has begun and is not over yet can end early.")
    return replace(booking, end_time=max(now, booking.start_time + 1), release_at=None)


def window(start: int | None, end: int | None, now: int) -> Slot:
    """The window of an availability request; by default a week from now."""
    start = now if start is None else start
    end = start + DEFAULT_WINDOW_SECONDS if end is None else end
    check_range(start, end, longest=MAX_WINDOW_SECONDS)
    return Slot(start, end)


def free_window(start: int, end: int) -> None:
    """422 for a window that can't be booked."""
    check_range(start, end, longest=MAX_BOOKING_SECONDS)


def availability(resource: BookableResource, asked: Slot, taken: Sequence[BusySlot]) -> Availability:
    """`taken` extends beyond the window by the buffer; an inactive resource is never free."""
    if len(taken) > MAX_LISTED:
        raise Invalid("to", f"leaves more than {MAX_LISTED} bookings in the window; ask about a shorter one")
    return Availability(
        resource_id=resource.id,
        from_=asked.start_time,
        to=asked.end_time,
        busy=[slot for slot in taken if not apart(slot, asked, 0)],
        free=list(free_within(asked, resource.buffer_seconds, taken)) if resource.bookable else [],
    )


def _check_times(slot: Slot, now: int) -> None:
    fields = ("startTime", "endTime")
    check_range(slot.start_time, slot.end_time, longest=MAX_BOOKING_SECONDS, fields=fields)
    if slot.end_time <= now:
        raise Invalid("endTime", "lies in the past")


def _check_attendees(attendees: Sequence[Attendee]) -> None:
    refuse_faults(
        ErrorDetail(f"attendees[{index}].email", "is there more than once")
        for index in repeated(attendee.email.casefold() for attendee in attendees)
    )


def _require_bookable(resource: BookableResource) -> None:
    if is_archived(resource):
        raise Conflict(f"{resource.name} is archived and takes no bookings.")
    if not resource.active:
        raise Conflict(f"{resource.name} is not active and takes no bookings.")


def _release_at(resource: BookableResource, start: int, now: int) -> int | None:
    """A booking that has begun already gets the same time for its check-in."""
    return None if resource.check_in_seconds is None else max(start, now) + resource.check_in_seconds
