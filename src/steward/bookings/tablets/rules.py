from collections.abc import Sequence

from steward.bookings.model import Booking, BookingStatus, NewBooking
from steward.bookings.resources.model import BookableResource
from steward.bookings.rules import check_in_opens
from steward.bookings.tablets.model import (
    CHOICES_MINUTES,
    SHORTEST_SECONDS,
    TITLE,
    BookNow,
    Door,
    DoorState,
    NewTablet,
    Tablet,
)
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Conflict

# The time of the last use is stored at most this often.
USE_SECONDS = 3600


def new_tablet(new: NewTablet, resource_id: str, now: int) -> Tablet:
    return Tablet(id=new_id("tbl"), resource_id=resource_id, name=new.name, created=now)


def use_is_due(tablet: Tablet, now: int) -> bool:
    return tablet.last_used is None or not 0 <= now - tablet.last_used < USE_SECONDS


def door(resource: BookableResource, holding: Sequence[Booking], now: int) -> Door:
    """`holding` are the bookings from one buffer ago on, in order of time."""
    current = next((b for b in holding if b.start_time <= now < b.end_time), None)
    following = next((b for b in holding if b.start_time > now), None)
    waiting = current or following
    takes_check_in = (
        waiting is not None
        and resource.check_in_required
        and waiting.status == BookingStatus.CONFIRMED
        and now >= check_in_opens(waiting, resource)
    )
    buffer_ends = max((b.end_time + resource.buffer_seconds for b in holding if b.end_time <= now), default=0)
    can_book = current is None and resource.bookable
    return Door(
        resource=resource,
        state=_state(resource, current),
        until=current.end_time if current else following.start_time if following else None,
        current=current,
        next=following,
        check_in=waiting if takes_check_in else None,
        book_until=_book_until(resource, following, now) if can_book and buffer_ends <= now else (),
        book_from=buffer_ends if can_book and buffer_ends > now else None,
    )


def booking_now(body: BookNow, shown: Door, now: int) -> NewBooking:
    """Until any time that fits: the tablet's screen may be a minute old."""
    if shown.current is not None:
        raise Conflict(f"{shown.resource.name} has been taken just now.")
    if not (shown.book_until and now + SHORTEST_SECONDS <= body.until <= shown.book_until[-1]):
        raise Conflict("That time is no longer on offer; choose one of those that are shown.")
    return NewBooking(resource_id=shown.resource.id, start_time=now, end_time=body.until, title=TITLE)


def _state(resource: BookableResource, current: Booking | None) -> DoorState:
    if current is None:
        return DoorState.FREE
    unconfirmed = current.status == BookingStatus.CONFIRMED and resource.check_in_required
    return DoorState.BOOKED if unconfirmed else DoorState.IN_USE


def _book_until(resource: BookableResource, following: Booking | None, now: int) -> tuple[int, ...]:
    """Full minutes, up to the next booking; the rest of the gap if it is shorter than the longest choice."""
    ends = [now // 60 * 60 + minutes * 60 for minutes in CHOICES_MINUTES]
    if following is None:
        return tuple(ends)
    latest = following.start_time - resource.buffer_seconds
    fitting = [end for end in ends if end <= latest]
    if latest < ends[-1] and latest not in fitting and latest - now >= SHORTEST_SECONDS:
        fitting.append(latest)
    return tuple(fitting)
