"""What the screen beside a door offers: pure rules."""

import pytest
from msgspec.structs import replace

from steward.bookings.model import EXAMPLE, Booking, BookingStatus
from steward.bookings.resources import model as resources
from steward.bookings.rules import ended_early
from steward.bookings.tablets.model import BookNow, DoorState, Tablet
from steward.bookings.tablets.rules import booking_now, door, use_is_due
from steward.kit.domain.problems import Conflict

MINUTE, HOUR = 60, 3600
NOW = 1767258000
ROOM = replace(resources.EXAMPLE, buffer_minutes=0, check_in_required=True)


def booking(start: int, end: int, status: BookingStatus = BookingStatus.CONFIRMED) -> Booking:
    return replace(EXAMPLE, id=f"bkg_{start}", start_time=NOW + start, end_time=NOW + end, status=status)


def ends(*minutes: int) -> tuple[int, ...]:
    return tuple(NOW + each * MINUTE for each in minutes)


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        (None, ends(15, 30, 60)),
        (60 * MINUTE, ends(15, 30, 60)),
        (59 * MINUTE, ends(15, 30, 59)),
        (30 * MINUTE, ends(15, 30)),
        (14 * MINUTE, ends(14)),
        (4 * MINUTE, ()),
    ],
)
def test_booking_now_offers_fitting_durations(gap: int | None, expected: tuple[int, ...]) -> None:
    holding = [] if gap is None else [booking(gap, gap + HOUR)]
    shown = door(ROOM, holding, NOW)
    assert (shown.state, shown.book_until) == (DoorState.FREE, expected)
    assert shown.until == (None if gap is None else NOW + gap)


def test_choices_end_at_full_minutes() -> None:
    assert door(ROOM, [], NOW + 42).book_until == ends(15, 30, 60)


def test_the_buffer_applies_before_and_after() -> None:
    room = replace(ROOM, buffer_minutes=10)
    before = door(room, [booking(-HOUR, -1)], NOW)
    assert (before.state, before.book_until, before.book_from) == (DoorState.FREE, (), NOW - 1 + 10 * MINUTE)
    assert door(room, [booking(-HOUR, -10 * MINUTE)], NOW).book_until == ends(15, 30, 60)
    assert door(room, [booking(HOUR, 2 * HOUR)], NOW).book_until == ends(15, 30, 50)


def test_inactive_resources_cannot_be_booked() -> None:
    assert door(replace(ROOM, active=False), [], NOW).book_until == ()


@pytest.mark.parametrize(
    ("required", "status", "state", "check_in"),
    [
        (True, BookingStatus.CONFIRMED, DoorState.BOOKED, True),
        (True, BookingStatus.CHECKED_IN, DoorState.IN_USE, False),
        (False, BookingStatus.CONFIRMED, DoorState.IN_USE, False),
        (False, BookingStatus.CHECKED_IN, DoorState.IN_USE, False),
    ],
)
def test_a_running_booking_is_in_use_once_check_in_is_optional(
    *, required: bool, status: BookingStatus, state: DoorState, check_in: bool
) -> None:
    running, later = booking(-MINUTE, HOUR, status), booking(HOUR, 2 * HOUR)
    shown = door(replace(ROOM, check_in_required=required), [running, later], NOW)
    assert (shown.state, shown.current, shown.next, shown.until) == (state, running, later, NOW + HOUR)
    assert (shown.check_in == running) is check_in
    assert shown.book_until == ()


@pytest.mark.parametrize(("minutes", "open_"), [(16, False), (15, True)])
def test_check_in_opens_a_quarter_of_an_hour_before(*, minutes: int, open_: bool) -> None:
    soon = booking(minutes * MINUTE, 2 * HOUR)
    assert (door(ROOM, [soon], NOW).check_in == soon) is open_


def test_only_offered_slots_can_be_booked() -> None:
    shown = door(ROOM, [booking(30 * MINUTE, HOUR)], NOW)
    made = booking_now(BookNow(until=NOW + 15 * MINUTE), shown, NOW)
    assert (made.start_time, made.end_time) == (NOW, NOW + 15 * MINUTE)
    for until in (NOW - MINUTE, NOW + MINUTE, NOW + 60 * MINUTE, NOW + 31 * 86_400):
        with pytest.raises(Conflict):
            booking_now(BookNow(until=until), shown, NOW)
    with pytest.raises(Conflict, match="taken just now"):
        booking_now(BookNow(until=NOW), door(ROOM, [booking(-1, HOUR)], NOW), NOW)


def test_slots_offered_a_minute_ago_can_still_be_booked() -> None:
    for until in door(ROOM, [], NOW - 1).book_until:
        assert booking_now(BookNow(until=until), door(ROOM, [], NOW), NOW).end_time == until


def test_only_running_bookings_can_end_early() -> None:
    running = booking(-HOUR, HOUR, BookingStatus.CHECKED_IN)
    assert ended_early(running, NOW) == replace(running, end_time=NOW, release_at=None)
    assert ended_early(booking(0, HOUR), NOW).end_time == NOW + 1
    for wrong in (
        booking(1, HOUR),
        booking(-HOUR, 0),
        booking(-HOUR, HOUR, BookingStatus.CANCELLED),
        booking(-HOUR, HOUR, BookingStatus.NO_SHOW),
    ):
        with pytest.raises(Conflict):
            ended_early(wrong, NOW)


def test_the_last_use_is_written_once_an_hour() -> None:
    tablet = Tablet(id="tbl_1", resource_id="rsc_1", name="Door", created=0)
    assert use_is_due(tablet, NOW)
    assert not use_is_due(replace(tablet, last_used=NOW), NOW + HOUR - 1)
    assert use_is_due(replace(tablet, last_used=NOW), NOW + HOUR)
    assert use_is_due(replace(tablet, last_used=NOW), NOW - 1)
