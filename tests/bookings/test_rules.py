import pytest
from msgspec.structs import replace

from steward.bookings import clashes, rules
from steward.bookings.model import EXAMPLE, BookingChanges, BookingStatus, NewBooking
from steward.bookings.resources import model as resources
from steward.bookings.rules import MOVES
from steward.bookings.slots import BookingConflict, BusySlot, Slot
from steward.kit.domain.problems import Conflict, Invalid

START, END = EXAMPLE.start_time, EXAMPLE.end_time
MINUTE = 60


def resource(**fields: object) -> resources.BookableResource:
    return replace(resources.EXAMPLE, **fields)


@pytest.mark.parametrize(
    ("buffer_minutes", "moment", "refusal"),
    [
        (0, START - 15 * MINUTE, None),
        (0, START - 15 * MINUTE - 1, "too early"),
        (15, START - 15 * MINUTE - 1, "too early"),
        (60, START - 60 * MINUTE, None),
        (60, START - 60 * MINUTE - 1, "too early"),
        (0, START, None),
        (0, END - 1, None),
        (0, END, "too late"),
    ],
)
def test_check_in_is_open_from_shortly_before_the_start_until_the_end(
    buffer_minutes: int, moment: int, refusal: str | None
) -> None:
    details = rules.BookingMoveDetails(moment, resource=resource(buffer_minutes=buffer_minutes))
    if refusal is None:
        checked_in = MOVES.apply(EXAMPLE, "check-in", details)
        assert (checked_in.status, checked_in.checked_in_at) == (BookingStatus.CHECKED_IN, moment)
    else:
        with pytest.raises(Conflict, match=refusal):
            MOVES.apply(EXAMPLE, "check-in", details)


@pytest.mark.parametrize("status", [BookingStatus.CANCELLED, BookingStatus.CHECKED_IN, BookingStatus.NO_SHOW])
def test_only_a_confirmed_booking_is_checked_in_to(status: BookingStatus) -> None:
    with pytest.raises(Conflict, match="allowed from here: none"):
        MOVES.apply(
            replace(EXAMPLE, status=status), "check-in", rules.BookingMoveDetails(START, resource=resource())
        )


@pytest.mark.parametrize(
    ("required", "moment", "expected"),
    [
        (False, START - 1, None),
        (True, START - 1, START + 15 * MINUTE),
        (True, START + 5 * MINUTE, START + 20 * MINUTE),
    ],
)
def test_the_check_in_deadline_counts_from_start_or_creation(
    required: bool, moment: int, expected: int | None
) -> None:
    new = NewBooking(resource_id=EXAMPLE.resource_id, start_time=START, end_time=END)
    assert rules.new_booking(new, resource(check_in_required=required), None, moment).release_at == expected


def test_a_moved_start_moves_the_release_and_a_moved_end_does_not() -> None:
    later = rules.changed(EXAMPLE, BookingChanges(start_time=START + 600), resource(), START - 1)
    assert later.release_at == START + 600 + 15 * MINUTE
    patient = resource(release_after_minutes=60)
    assert (
        rules.changed(EXAMPLE, BookingChanges(end_time=END + 1), patient, START).release_at
        == EXAMPLE.release_at
    )
    assert (
        rules.changed(EXAMPLE, BookingChanges(title="New"), patient, START).release_at == EXAMPLE.release_at
    )


def test_the_title_of_a_past_booking_can_be_changed() -> None:
    assert rules.changed(EXAMPLE, BookingChanges(title=None), resource(active=False), END + 1).title is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((None, None), Slot(1000, 1000 + rules.DEFAULT_WINDOW_SECONDS)),
        ((5, None), Slot(5, 5 + rules.DEFAULT_WINDOW_SECONDS)),
        ((None, 2000), Slot(1000, 2000)),
        ((0, rules.MAX_WINDOW_SECONDS), Slot(0, rules.MAX_WINDOW_SECONDS)),
        ((0, rules.MAX_WINDOW_SECONDS + 1), None),
        ((5, 5), None),
        ((None, 999), None),
    ],
)
def test_a_window_begins_now_and_lasts_a_week_unless_said_otherwise(
    given: tuple[int | None, int | None], expected: Slot | None
) -> None:
    if expected is None:
        with pytest.raises(Invalid, match=r"^to "):
            rules.window(*given, 1000)
    else:
        assert rules.window(*given, 1000) == expected


def clash(of: resources.BookableResource, wanted: Slot, following: list[BusySlot], now: int) -> clashes.Clash:
    first = following[0]
    conflict = BookingConflict(
        booking_id=first.booking_id,
        resource_id=of.id,
        start_time=first.start_time,
        end_time=first.end_time,
        wanted_start_time=wanted.start_time,
    )
    return clashes.clash(of, [wanted], [conflict], following, now)


def test_a_slot_in_the_past_is_not_offered() -> None:
    other = BusySlot(START, START + 60, "bkg_other")
    found = clash(resource(buffer_minutes=0), Slot(START, START + 120), [other], START + 90)
    assert f"slot of this length is {START + 90} to {START + 210} (" in found.message


def test_suggestions_are_limited_to_scanned_records() -> None:
    most = clashes.MAX_SEARCHED
    solid = [BusySlot(START + 60 * n, START + 60 * (n + 1), f"bkg_{n}") for n in range(most)]
    wanted = Slot(START, START + 60)
    empty = resource(buffer_minutes=0)
    all_seen = clash(empty, wanted, solid[:-1], START)
    assert f"slot of this length is {solid[-1].start_time} to {solid[-1].end_time} (" in all_seen.message
    cut_off = clash(empty, wanted, solid, START)
    assert "none of the next 1000 bookings leaves a slot of this length" in cut_off.message
    del solid[500]
    with_gap = clash(empty, wanted, [*solid, BusySlot(START + 60 * most, START + 60 * most + 1, "x")], START)
    assert f"is {START + 60 * 500} to {START + 60 * 501} (" in with_gap.message
