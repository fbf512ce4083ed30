"""Stores events, and what follows from them, in the statement that makes the change.

The change, its events and their deliveries are one statement: a writing CTE whose last parts these are. So there
is no moment when one exists without the others. A sharded database treats each writing
part as a statement of its own, and is slow to combine them: there they are short statements in the
transaction of the change.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from steward.kit.db.sql import Row, Sql, sql
from steward.kit.db.transaction import Transaction
from steward.kit.events.actor import acting
from steward.kit.events.event_types import Event
from steward.kit.security.caller import TenantId

PARAMETERS = 9

# The trace in which events come about; see `kit/tracing/events.py`.
TraceOf = Callable[[Sequence[Event]], str | None]


class EventScope(msgspec.Struct, frozen=True):
    """How a statement speaks of its events: the placeholders of the moment at which they happen, the organization of one of
    `new_events`, the condition that a column names one of the statement's organizations, such as `= $1`, and the trace."""

    seconds: str
    milliseconds: str
    organization: str = "$1"
    among: str = "= $1"
    trace: str = "NULL"


class EventConsumer(msgspec.Struct, frozen=True):
    """What follows from events. `rows` reads `new_events` (id, type, about, attributes, body, actor) and what was registered before.
    Where it is to be stored, `table` says where, and `columns` the types of what is read. `listener` finds any row of the
    organization `$1` without which nothing follows from events of the types `$2`: where `rows` is dear, that is asked first."""

    rows: Callable[[EventScope], str]
    table: str | None = None
    columns: Mapping[str, str] = {}
    listener: Sql | None = None

    @property
    def target(self) -> str:
        return f"INSERT INTO {self.table} AS t ({', '.join(self.columns)})"

    def cte(self, scope: EventScope) -> str:
        rows = self.rows(scope)
        return rows if self.table is None else f"{self.target} {rows} RETURNING t.id"


class _Tracing:
    """Without traces events are in none."""

    def __init__(self) -> None:
        self.trace_of: TraceOf = lambda _events: None


_tracing = _Tracing()
_consumers: dict[str, EventConsumer] = {}


class NoConsumersError(Exception):
    """A statement with events would store them without deliveries."""


def register_consumer(name: str, consumer: EventConsumer) -> None:
    """From now on every statement that stores events has this CTE, too."""
    if name in _consumers:
        raise ValueError(f"a consumer of events is registered twice: {name}")
    _consumers[name] = consumer


def trace_events(trace_of: TraceOf) -> None:
    """From now on events keep the trace that `trace_of` says they are in."""
    _tracing.trace_of = trace_of


def trace_of(events: Sequence[Event]) -> str | None:
    return _tracing.trace_of(events)


def outbox_ctes(first: int) -> str:
    """The CTEs that store events given as parameters `$first` and following; `$1` is the organization."""
    return f"{_new_events(first)}, {_storing(_scope(first))}"


def _scope(first: int) -> EventScope:
    return EventScope(f"${first + 6}", f"${first + 7}", trace=f"${first + 8}")


def _new_events(first: int) -> str:
    ids, types, about, attributes, bodies, actors = (f"${first + i}" for i in range(6))
    # The limit limits nothing. It lets the planner expect one event where it can't see how many there are, instead of ten: so it
    # makes a plan once and not for each statement anew, which would take longer than all the rest.
    return f"""new_events AS (
        SELECT * FROM unnest({ids}::text[], {types}::text[], {about}::text[], {attributes}::jsonb[], {bodies}::bytea[],
                             {actors}::text[])
            AS new_events (id, type, about, attributes, body, actor)
        LIMIT cardinality({ids}::text[])
    )"""  # noqa: S608 (the parts are literals of ours)


def outbox_ctes_of_many(first: int) -> str:
    """The same for events of many organizations; `$1` are all of these, so that a sharded database can be asked shard by
    shard, and the parameters begin with the organization of each event."""
    tenants, ids, types, about, attributes, bodies, actors, seconds, milliseconds, trace = (
        f"${first + i}" for i in range(PARAMETERS + 1)
    )
    scope = EventScope(seconds, milliseconds, "new_events.organization_id", "= ANY ($1::text[])", trace)
    return f"""new_events AS (
        SELECT * FROM unnest({tenants}::text[], {ids}::text[], {types}::text[], {about}::text[], {attributes}::jsonb[],
                             {bodies}::bytea[], {actors}::text[])
            AS new_events (organization_id, id, type, about, attributes, body, actor)
    ), {_storing(scope)}"""  # noqa: S608 (the parts are literals of ours)


def _storing(scope: EventScope) -> str:
    following = "".join(f", {name} AS ({consumer.cte(scope)})" for name, consumer in _all_consumers())
    return f"""stored_events AS (
        INSERT INTO events AS ev (organization_id, id, type, created, about, attributes, body, actor, trace)
        SELECT {scope.organization}, new_events.id, new_events.type, {scope.seconds}, new_events.about, new_events.attributes,
               new_events.body, new_events.actor, {scope.trace}::text
        FROM new_events
        RETURNING ev.id
    ){following}"""  # noqa: S608 (the parts are literals of ours)


def _all_consumers() -> list[tuple[str, EventConsumer]]:
    if not _consumers:
        raise NoConsumersError(
            "no consumer of events is registered; the slices that register one must be imported first"
        )
    return list(_consumers.items())


def parameters(events: Sequence[Event], now: int) -> tuple[Any, ...]:
    actor = acting()
    return (
        [event.id for event in events],
        [event.type for event in events],
        [event.about for event in events],
        [event.attributes for event in events],
        [event.body for event in events],
        [event.actor or actor for event in events],
        now,
        now * 1000,
        trace_of(events),
    )


def parameters_of_many(events: Sequence[tuple[TenantId, Event]], now: int) -> tuple[Any, ...]:
    return [tenant for tenant, _ in events], *parameters([event for _, event in events], now)


# The position is said here, so that it is the number of the transaction on the server that all processes talk to. Where a
# default said it, that could be the number of another one's.
_STORE_ONE = sql(
    """INSERT INTO events AS ev (organization_id, id, type, created, about, attributes, body, actor, trace, position)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, event_position())"""
)
_STORE_MANY = sql(
    """INSERT INTO events AS ev (organization_id, id, type, created, about, attributes, body, actor, trace, position)
       SELECT $1, e.id, e.type, $8::bigint, e.about, e.attributes, e.body, e.actor, $9, event_position()
       FROM unnest($2::text[], $3::text[], $4::text[], $5::jsonb[], $6::bytea[], $7::text[])
           AS e (id, type, about, attributes, body, actor)"""
)


async def store_apart(tx: Transaction, tenant: TenantId, events: Sequence[Event], now: int) -> None:
    """The same in short statements, for a database that is spread over several servers."""
    *given, trace = parameters(events, now)
    if len(events) == 1:
        [event] = events
        actor = event.actor or acting()
        values = (event.id, event.type, now, event.about, event.attributes, event.body, actor, trace)
        await tx.execute(_STORE_ONE, tenant, *values)
    else:
        await tx.execute(_STORE_MANY, tenant, *given[:-1], trace)
    for name, consumer in _all_consumers():
        if consumer.table is None or not await _has_listener(tx, consumer, tenant, events):
            continue
        if rows := await tx.fetch(_rows_of(name), tenant, *given):
            await _insert(tx, name, rows)


async def _has_listener(
    tx: Transaction, consumer: EventConsumer, tenant: TenantId, events: Sequence[Event]
) -> bool:
    if consumer.listener is None:
        return True
    return bool(await tx.fetch(consumer.listener, tenant, [event.type for event in events]))


async def _insert(tx: Transaction, name: str, rows: Sequence[Row]) -> None:
    if len(rows) == 1:
        await tx.execute(_insert_one(name), *rows[0])
    else:
        await tx.execute(_insert_many(name), *map(list, zip(*rows, strict=True)))


@cache
def _rows_of(name: str) -> Sql:
    """With what is read for it beforehand."""
    before = "".join(
        f", {each} AS ({consumer.rows(_scope(2))})"
        for each, consumer in _all_consumers()
        if consumer.table is None
    )
    return sql(f"WITH {_new_events(2)}{before} {_consumers[name].rows(_scope(2))}")


@cache
def _insert_one(name: str) -> Sql:
    consumer = _consumers[name]
    values = ", ".join(f"${n}" for n in range(1, len(consumer.columns) + 1))
    return sql(f"{consumer.target} VALUES ({values})")


@cache
def _insert_many(name: str) -> Sql:
    consumer = _consumers[name]
    arrays = ", ".join(f"${n}::{type}[]" for n, type in enumerate(consumer.columns.values(), start=1))
    columns = ", ".join(consumer.columns)
    return sql(f"{consumer.target} SELECT r.* FROM unnest({arrays}) AS r ({columns})")  # noqa: S608 (ours)
