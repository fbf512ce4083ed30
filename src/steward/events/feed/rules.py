"""How a page of the feed is filled, and what a cursor holds. Pure."""

from collections.abc import Sequence

from steward.events.feed.model import FeedEvent, FeedPlace
from steward.events.model import EventOrder, EventQuery
from steward.events.rules import with_actor
from steward.kit.db.listing import MAX_PAGE_LENGTH
from steward.kit.domain.problems import Invalid


def check_parameters(query: EventQuery) -> None:
    """422 for parameters of the other way of reading events."""
    if query.order is EventOrder.ASC:
        given = {"lastEvaluatedKey": query.last_evaluated_key, "createdAfter": query.created_after}
        advice = "is for order=desc; a feed goes on from the cursor in after"
    else:
        given = {"after": query.after, "wait": query.wait or None}
        advice = "is for order=asc"
    for name, value in given.items():
        if value is not None:
            raise Invalid(name, advice)


def fill(items: list[str], events: Sequence[FeedEvent], limit: int, *, with_actors: bool) -> int:
    """Adds the events that fit on a page, and returns how many."""
    length = sum(map(len, items))
    for taken, event in enumerate(events):
        length += len(event.body)
        if len(items) == limit or (items and length > MAX_PAGE_LENGTH):
            return taken
        items.append(with_actor(event.body, event.actor) if with_actors else event.body)
    return len(events)


def written(place: FeedPlace) -> str:
    return f"{place.position} {place.id}"


def place_of(text: str) -> FeedPlace:
    position, _, id = text.partition(" ")
    return FeedPlace(int(position), id)
