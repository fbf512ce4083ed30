"""Stores events, and what follows from them, in the statement that makes the change.

The change, what is told of it and who is to hear it are one statement: a writing CTE whose last parts these are. So there
is no moment in which one is there without the others.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from steward.kit.events.event_types import Event

PARAMETERS = 7


class EventTime(msgspec.Struct, frozen=True):
    """The placeholders of the moment at which the events of a statement happen."""

    seconds: str
    milliseconds: str


# The body of a CTE that reads `new_events` (id, type, about, attributes, body); `$1` is the organization.
Follower = Callable[[EventTime], str]

_followers: dict[str, Follower] = {}


class NothingFollowsError(Exception):
    """A statement with events would store them and nobody would be told."""


def register_follower(name: str, follower: Follower) -> None:
    """From now on every statement that stores events has this CTE, too."""
    if name in _followers:
        raise ValueError(f"a follower of events is registered twice: {name}")
    _followers[name] = follower


def outbox_ctes(first: int) -> str:
    """The CTEs that store events given as parameters `$first` and following; `$1` is the organization."""
    if not _followers:
        raise NothingFollowsError(
            "nobody has registered what follows from an event; the slices that do must be imported first"
        )
    ids, types, about, attributes, bodies, seconds, milliseconds = (
        f"${first + i}" for i in range(PARAMETERS)
    )
    following = "".join(
        f", {name} AS ({follower(EventTime(seconds, milliseconds))})" for name, follower in _followers.items()
    )
    # The limit limits nothing. It lets the planner expect one event where it can't see how many there are, instead of ten: so it
    # makes a plan once and not for each statement anew, which would take longer than all the rest.
    return f"""new_events AS (
        SELECT * FROM unnest({ids}::text[], {types}::text[], {about}::text[], {attributes}::jsonb[], {bodies}::bytea[])
            AS new_events (id, type, about, attributes, body)
        LIMIT cardinality({ids}::text[])
    ), stored_events AS (
        INSERT INTO events AS ev (organization_id, id, type, created, about, attributes, body)
        SELECT $1, new_events.id, new_events.type, {seconds}, new_events.about, new_events.attributes, new_events.body
        FROM new_events
        RETURNING ev.id
    ){following}"""  # noqa: S608 (the parts are literals of ours)


def parameters(events: Sequence[Event], now: int) -> tuple[Any, ...]:
    return (
        [event.id for event in events],
        [event.type for event in events],
        [event.about for event in events],
        [event.attributes for event in events],
        [event.body for event in events],
        now,
        now * 1000,
    )
