"""Stores events, and what follows from them, in the statement that makes the change.

The change, what is told of it and who is to hear it are one statement: a writing CTE whose last parts these are. So there
is no moment in which one is there without the others.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from steward.kit.events.event_types import Event
from steward.kit.security.caller import TenantId

PARAMETERS = 7


class EventScope(msgspec.Struct, frozen=True):
    """How a statement speaks of its events: the placeholders of the moment at which they happen, the organization of one of
    `new_events`, and the condition that a column names one of the statement's organizations, such as `= $1`."""

    seconds: str
    milliseconds: str
    organization: str = "$1"
    among: str = "= $1"


# The body of a CTE that reads `new_events` (id, type, about, attributes, body).
Follower = Callable[[EventScope], str]

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
    ids, types, about, attributes, bodies, seconds, milliseconds = (
        f"${first + i}" for i in range(PARAMETERS)
    )
    # The limit limits nothing. It lets the planner expect one event where it can't see how many there are, instead of ten: so it
    # makes a plan once and not for each statement anew, which would take longer than all the rest.
    return f"""new_events AS (
        SELECT * FROM unnest({ids}::text[], {types}::text[], {about}::text[], {attributes}::jsonb[], {bodies}::bytea[])
            AS new_events (id, type, about, attributes, body)
        LIMIT cardinality({ids}::text[])
    ), {_storing(EventScope(seconds, milliseconds))}"""  # noqa: S608 (the parts are literals of ours)


def outbox_ctes_of_many(first: int) -> str:
    """The same for events of many organizations; `$1` are all of these, so that a sharded database can be asked shard by
    shard, and the parameters begin with the organization of each event."""
    tenants, ids, types, about, attributes, bodies, seconds, milliseconds = (
        f"${first + i}" for i in range(PARAMETERS + 1)
    )
    scope = EventScope(seconds, milliseconds, "new_events.organization_id", "= ANY ($1::text[])")
    return f"""new_events AS (
        SELECT * FROM unnest({tenants}::text[], {ids}::text[], {types}::text[], {about}::text[], {attributes}::jsonb[],
                             {bodies}::bytea[])
            AS new_events (organization_id, id, type, about, attributes, body)
    ), {_storing(scope)}"""  # noqa: S608 (the parts are literals of ours)


def _storing(scope: EventScope) -> str:
    if not _followers:
        raise NothingFollowsError(
            "nobody has registered what follows from an event; the slices that do must be imported first"
        )
    following = "".join(f", {name} AS ({follower(scope)})" for name, follower in _followers.items())
    return f"""stored_events AS (
        INSERT INTO events AS ev (organization_id, id, type, created, about, attributes, body)
        SELECT {scope.organization}, new_events.id, new_events.type, {scope.seconds}, new_events.about, new_events.attributes,
               new_events.body
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


def parameters_of_many(events: Sequence[tuple[TenantId, Event]], now: int) -> tuple[Any, ...]:
    return [tenant for tenant, _ in events], *parameters([event for _, event in events], now)
