"""Slots that are taken: which bookings conflict with a wanted one, and what is free instead."""

from collections.abc import Sequence
from itertools import pairwise

from steward.bookings.resources.model import BookableResource
from steward.bookings.slots import BookingConflict, BusySlot, Slot, apart, next_free
from steward.kit.domain.problems import Conflict, Invalid

# How many bookings are searched for a slot to offer instead of one that is taken.
MAX_SEARCHED = 1000


class Clash(Conflict):
    """Slots that are taken. Carries its message as data too, for pages that word it differently."""

    def __init__(
        self,
        message: str,
        resource: BookableResource,
        conflicts: Sequence[BookingConflict],
        offer: Slot | None,
        *,
        dates: int,
    ) -> None:
        super().__init__(message)
        self.resource = resource
        self.conflicts = conflicts
        # The next free slot of the same length, from the first that is taken; None if none was found.
        self.offer = offer
        # How many slots were wanted.
        self.dates = dates
        self.more = {"conflicts": conflicts, "nextFree": offer}

    @property
    def taken_dates(self) -> list[int]:
        """The starts of the slots that are taken."""
        return sorted({conflict.wanted_start_time for conflict in self.conflicts})


def clash(
    resource: BookableResource,
    wanted: Sequence[Slot],
    conflicts: Sequence[BookingConflict],
    following: Sequence[BusySlot],
    now: int,
) -> Clash:
    """`conflicts` are in order of time; `following` are bookings from the first on, as far as read."""
    first = next(slot for slot in wanted if slot.start_time == conflicts[0].wanted_start_time)
    length = first.end_time - first.start_time
    free = next_free(max(first.start_time, now), length, resource.buffer_seconds, following)
    beyond = len(following) >= MAX_SEARCHED and free.start_time >= following[-1].end_time
    made = Clash("", resource, conflicts, None if beyond else free, dates=len(wanted))
    made.message = _clash_message(made)
    return made


def _clash_message(clash: Clash) -> str:
    resource, offer, first = clash.resource, clash.offer, clash.conflicts[0]
    buffer = f" and {resource.buffer_minutes} minutes must lie between bookings"
    taken = f" on {len(clash.taken_dates)} of {clash.dates} dates" if clash.dates > 1 else ""
    if offer is None:
        free = f"none of the next {MAX_SEARCHED} bookings leaves a slot of this length"
    else:
        free = f"the next free slot of this length is {offer.start_time} to {offer.end_time}"
    return (
        f"{resource.name} is taken{taken}: booking {first.booking_id} lasts from {first.start_time} to {first.end_time}"
        f"{buffer if resource.buffer_seconds else ''}; {free} (Unix seconds)."
    )


def check_apart(resource: BookableResource, slots: Sequence[Slot], field: str) -> None:
    """The dates of a series must not overlap."""
    ordered = sorted(slots, key=lambda slot: slot.start_time)
    if any(not apart(one, other, resource.buffer_seconds) for one, other in pairwise(ordered)):
        raise Invalid(field, "leaves dates that overlap each other or lie closer than the resource's buffer")
