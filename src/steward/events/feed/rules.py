"""How a page of the feed is cut, and what a cursor holds. Pure."""

from collections.abc import Sequence

from steward.events.feed.model import FeedEvent, Place
from steward.events.model import EventQuery
from steward.kit.db.pagination import MAX_PAGE_LENGTH
from steward.kit.domain.problems import Invalid


def check_parameters(query: EventQuery) -> None:
    """422 for what belongs to the other way of reading events."""
    if query.order == "asc":
        given = {"lastEvaluatedKey": query.last_evaluated_key, "createdAfter": query.created_after}
        advice = "is for order=desc; a feed goes on from the cursor in after"
    else:
        given = {"after": query.after, "wait": query.wait or None}
        advice = "is for order=asc"
    for name, value in given.items():
        if value is not None:
            raise Invalid(name, advice)


def cut(events: Sequence[FeedEvent], items: list[str], limit: int) -> Place | None:
    """Adds the bodies that a page has room for. The place of the last event before the one that has none, if any."""
    length, place = sum(map(len, items)), None
    for event in events:
        if event.body is not None:
            length += len(event.body)
            if len(items) == limit or (items and length > MAX_PAGE_LENGTH):
                break
            items.append(event.body)
        place = event.place
    return place


def written(place: Place) -> str:
    return f"{place.position} {place.id}"


def place_of(text: str) -> Place:
    position, _, id = text.partition(" ")
    return Place(int(position), id)
