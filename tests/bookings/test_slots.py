"""The arithmetic of slots, held against a restatement that counts seconds one by one."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.bookings.slots import Slot, apart, free_within, next_free


@st.composite
def taken(draw: st.DrawFn) -> list[Slot]:
    """Slots in the order of time that do not overlap, some of them touching."""
    slots, at = [], 0
    for gap, length in draw(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 8)), max_size=8)):
        slots.append(Slot(at + gap, at + gap + length))
        at = slots[-1].end_time
    return slots


BUFFERS = st.integers(0, 5)
LENGTHS = st.integers(1, 10)
MOMENTS = st.integers(0, 60)


def blocked(slots: list[Slot], buffer: int) -> set[int]:
    """Every second that a new slot may not touch."""
    return {second for slot in slots for second in range(slot.start_time - buffer, slot.end_time + buffer)}


@given(taken(), BUFFERS, MOMENTS, LENGTHS)
def test_the_next_free_slot_is_the_first_without_overlap(
    slots: list[Slot], buffer: int, earliest: int, length: int
) -> None:
    taboo = blocked(slots, buffer)
    first = next(start for start in range(earliest, 1000) if taboo.isdisjoint(range(start, start + length)))
    assert next_free(earliest, length, buffer, slots) == Slot(first, first + length)


@given(taken(), BUFFERS, MOMENTS, LENGTHS)
def test_the_first_slot_that_ends_late_enough_is_the_one_to_look_at(
    slots: list[Slot], buffer: int, start: int, length: int
) -> None:
    wanted = Slot(start, start + length)
    clash = not blocked(slots, buffer).isdisjoint(range(start, start + length))
    nearest = next((slot for slot in slots if slot.end_time > start - buffer), None)
    assert (nearest is not None and not apart(wanted, nearest, buffer)) == clash


@given(taken(), BUFFERS, MOMENTS, st.integers(1, 60))
def test_slots_without_bookings_are_free(slots: list[Slot], buffer: int, start: int, length: int) -> None:
    window = Slot(start, start + length)
    free = list(free_within(window, buffer, slots))
    seconds = [second for slot in free for second in range(slot.start_time, slot.end_time)]
    assert seconds == sorted(set(range(start, start + length)) - blocked(slots, buffer))
    # Neighbouring parts are one part: a search for a long slot finds it.
    assert all(one.end_time < other.start_time for one, other in itertools.pairwise(free))


@given(st.integers(0, 20), LENGTHS, st.integers(0, 20), LENGTHS, BUFFERS)
def test_numbers_are_distinguished_in_both_columns(
    a: int, a_length: int, b: int, b_length: int, buffer: int
) -> None:
    one, other = Slot(a, a + a_length), Slot(b, b + b_length)
    expected = blocked([one], buffer).isdisjoint(range(b, b + b_length))
    assert apart(one, other, buffer) == apart(other, one, buffer) == expected


@pytest.mark.parametrize(
    ("slots", "expected"),
    [
        ([], Slot(10, 20)),
        ([Slot(0, 10)], Slot(10, 20)),
        ([Slot(20, 30)], Slot(10, 20)),
        ([Slot(19, 30)], Slot(30, 40)),
        ([Slot(5, 11), Slot(20, 30), Slot(40, 50)], Slot(30, 40)),
    ],
)
def test_the_next_free_slot_by_example(slots: list[Slot], expected: Slot) -> None:
    assert next_free(10, 10, 0, slots) == expected
