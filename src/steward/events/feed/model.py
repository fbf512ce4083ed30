from typing import NamedTuple


class Place(NamedTuple):
    """Where a reader of the feed stands: the event that was read last, or looked at and not wanted."""

    position: int
    id: str


class FeedEvent(NamedTuple):
    place: Place
    body: str


class Look(NamedTuple):
    """What one statement has seen: the events that are wanted, the place of the last that it looked at, and whether there
    is none behind that."""

    events: list[FeedEvent]
    end: Place
    is_all: bool


# Before everything that is kept.
BEGINNING = Place(-1, "")
