"""Half-open intervals [start, end) of one resource with its buffer between them: pure arithmetic in seconds.

Taken intervals are given in order of time; they never overlap, but may be closer than today's buffer.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec import Meta

from steward.kit.domain.fields import Record, Seconds


class Slot(Record, frozen=True):
    start_time: Seconds
    end_time: Seconds


class BusySlot(Slot, frozen=True):
    booking_id: str


class BookingConflict(Record, frozen=True, kw_only=True):
    """A booking that conflicts with a request."""

    booking_id: str
    resource_id: str
    start_time: Seconds
    end_time: Seconds
    title: Annotated[str | None, Meta(description="Null also for who may not read bookings.")] = None
    wanted_start_time: Annotated[Seconds, Meta(description="Which of the wanted dates it is in the way of.")]


def apart(one: Slot, other: Slot, buffer: int) -> bool:
    """Whether at least the buffer lies between the two."""
    return one.end_time + buffer <= other.start_time or other.end_time + buffer <= one.start_time


def next_free(earliest: int, length: int, buffer: int, taken: Iterable[Slot]) -> Slot:
    """The first slot of this length from `earliest` on that keeps the buffer to all taken ones."""
    start = earliest
    for other in taken:
        if start + length + buffer <= other.start_time:
            break
        start = max(start, other.end_time + buffer)
    return Slot(start, start + length)


def free_within(window: Slot, buffer: int, taken: Iterable[Slot]) -> Iterator[Slot]:
    """The parts of a window where a booking may be: all slots in them keep the buffer to the others."""
    start = window.start_time
    for other in taken:
        end = min(other.start_time - buffer, window.end_time)
        if start < end:
            yield Slot(start, end)
        start = max(start, other.end_time + buffer)
    if start < window.end_time:
        yield Slot(start, window.end_time)
