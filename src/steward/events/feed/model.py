from typing import NamedTuple


class Place(NamedTuple):
    """Where a reader of the feed stands: the event that was read last."""

    position: int
    id: str


class FeedEvent(NamedTuple):
    """`body` is None where the type is none of those that were asked for."""

    place: Place
    body: str | None


# Before everything that is kept.
BEGINNING = Place(-1, "")
