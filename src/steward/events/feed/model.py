from typing import NamedTuple


class FeedPlace(NamedTuple):
    """Where a reader of the feed stands: the event that was read last, or looked at and not wanted."""

    position: int
    id: str


class FeedEvent(NamedTuple):
    place: FeedPlace
    body: str
    actor: str | None


class Look(NamedTuple):
    """What one statement has seen: the events that are wanted, the place of the last that it looked at, and whether there
    is none behind that."""

    events: list[FeedEvent]
    end: FeedPlace
    is_all: bool


# Before everything that is kept.
BEGINNING = FeedPlace(-1, "")
