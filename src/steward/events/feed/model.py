from typing import NamedTuple


class FeedPlace(NamedTuple):
    """A reader's position in the feed: the last event that was read or skipped."""

    position: int
    id: str


class FeedEvent(NamedTuple):
    place: FeedPlace
    body: str
    actor: str | None


class Look(NamedTuple):
    """What one statement found, the last event that it scanned, and whether the feed ends there."""

    events: list[FeedEvent]
    end: FeedPlace
    is_all: bool


# Before everything that is kept.
BEGINNING = FeedPlace(-1, "")
