"""One way to read, make, change and delete a record, and to publish what happened to it.

A change is a pure function from the old record to the new one, or a Problem. The mechanism reads the old record under
lock, checks the precondition, writes the columns that differ, and stores the events of the change and their deliveries in
the same statement. It is no ORM: there are no relations and no queries beyond the one row. Where a path names the parent
of a record, a record of another parent counts as absent. `own` restricts a caller to records of their own.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.references import report_broken_references
from steward.kit.db.referrers import refuse_referenced
from steward.kit.db.sql import Row
from steward.kit.db.table import Table
from steward.kit.events import publish as outbox
from steward.kit.events.event_types import Event, EventType, build_event, deletion
from steward.kit.events.publish import write_with_events
from steward.kit.records.context import Context, Target
from steward.kit.records.moves import MoveDetails, Moves
from steward.kit.security.caller import OwnOnly, TenantId

R = TypeVar("R", bound=msgspec.Struct)
D = TypeVar("D", bound=MoveDetails)

# Which events a change from the first record to the second publishes. An event about another record brings that record, and
# where filters look at more than the record, what that was before.
ChangeEvent = EventType | tuple[EventType, msgspec.Struct] | tuple[EventType, msgspec.Struct, msgspec.Struct]
ChangeEvents = Callable[[R, R], Iterable[ChangeEvent]]
# One event for every change, or those that the change calls for.
Events = EventType | ChangeEvents[R] | None


async def known(db: Database, table: Table[Any], tenant: TenantId, ids: Iterable[str]) -> set[str]:
    """Which of these identifiers name a record."""
    return {row[0] for row in await db.fetch(table.known, tenant, list(ids))}


async def get(
    db: Database,
    table: Table[R],
    tenant: TenantId,
    id: str,
    *,
    within: str | None = None,
    own: OwnOnly | None = None,
    only_shown: bool = False,
) -> R:
    """`only_shown` is for a record that goes into the answer and nowhere else."""
    load = table.show if only_shown else table.load
    return _found(table, load, await db.fetchrow(table.select, tenant, id), within, own)


async def by_external_id(db: Database, table: Table[R], tenant: TenantId, external_id: str) -> R | None:
    """The record with this identifier in another system, if there is one."""
    assert table.by_external_id is not None  # noqa: S101 (only asked for kinds that have one)
    row = await db.fetchrow(table.by_external_id, tenant, external_id)
    return None if row is None else table.load(row)


async def create(ctx: Context, table: Table[R], record: R, *events: EventType) -> R:
    made = [build_event(kind, record, tenant=ctx.tenant, now=ctx.now) for kind in events]
    row = table.row(ctx.tenant, record)
    storing = write_with_events(ctx.db, ctx.tenant, table.insert, row.values(), made, ctx.now)
    await report_broken_references(storing, ctx.db, table.name, ctx.tenant, row)
    return record


async def change(
    ctx: Target,
    table: Table[R],
    to: Callable[[R], R],
    events: Events[R] = None,
    *,
    own: OwnOnly | None = None,
) -> R:
    async with ctx.transaction() as ctx:
        old = await lock(ctx, table, own=own)
        return await write(ctx, table, old, to(old), events)


async def move(
    ctx: Target,
    table: Table[R],
    moves: Moves[R, D],
    verb: str,
    details: D,
    *,
    own: OwnOnly | None = None,
    events: Events[R] = None,
) -> R:
    """Makes a move of a state machine. Its row says from where, to where, what else it does to the record, and which
    event it publishes, unless `events` says so."""
    event = events or moves[verb].event
    return await change(ctx, table, lambda old: moves.apply(old, verb, details), event, own=own)


async def write(ctx: Context, table: Table[R], old: R, new: R, events: Events[R] = None) -> R:
    """Stores what differs between a locked record and its successor; nothing, when nothing does."""
    if new == old:
        return old
    if "updated" in table.fields:
        new = msgspec.structs.replace(new, updated=ctx.now)
    columns = table.columns_of_change(ctx.tenant, new, differing(table, old, new))
    made = events_of(ctx, old, new, events)
    values = [getattr(new, table.fields[0]), *columns.values()]
    storing = write_with_events(ctx.db, ctx.tenant, table.update(tuple(columns)), values, made, ctx.now)
    await report_broken_references(storing, ctx.db, table.name, ctx.tenant, columns)
    return new


def differing(table: Table[R], old: R, new: R) -> tuple[str, ...]:
    return tuple(field for field in table.fields if getattr(new, field) != getattr(old, field))


def events_of(ctx: Context, old: R, new: R, events: Events[R]) -> list[Event]:
    if events is None:
        return []
    made = []
    for event in (events,) if isinstance(events, EventType) else events(old, new):
        kind, after, *before = event if isinstance(event, tuple) else (event, new)
        was = before[0] if before else old
        made.append(build_event(kind, after, tenant=ctx.tenant, now=ctx.now, old=was))
    return made


async def delete(
    ctx: Target,
    table: Table[R],
    event: EventType | None = None,
    *,
    check_deletable: Callable[[R], object] = lambda _record: None,
) -> R:
    """`check_deletable` raises a Problem where the record has to stay."""
    async with ctx.transaction() as ctx:
        old = await lock(ctx, table)
        check_deletable(old)
        await refuse_referenced(ctx.db, table.name, table.noun, ctx.tenant, ctx.id)
        made = [] if event is None else [deletion(event, old, tenant=ctx.tenant, now=ctx.now)]
        await write_with_events(ctx.db, ctx.tenant, table.delete, [ctx.id], made, ctx.now)
        return old


async def lock(ctx: Target, table: Table[R], *, own: OwnOnly | None = None) -> R:
    row = await ctx.db.fetchrow(table.lock, ctx.tenant, ctx.id)
    record = _found(table, table.load, row, ctx.within, own)
    ctx.precondition.require(table.visible_to(record, own))
    return record


async def publish(
    ctx: Context, kind: EventType, record: msgspec.Struct, *, old: Any = None, about: str | None = None
) -> None:
    """An event of a change that was written by a statement of the slice."""
    event = build_event(kind, record, tenant=ctx.tenant, now=ctx.now, old=old, about=about)
    await outbox.publish(ctx.db, ctx.tenant, [event], ctx.now)


async def publish_deletion(ctx: Context, kind: EventType, record: msgspec.Struct) -> None:
    event = deletion(kind, record, tenant=ctx.tenant, now=ctx.now)
    await outbox.publish(ctx.db, ctx.tenant, [event], ctx.now)


def _found(
    table: Table[R], load: Callable[[Row], R], row: Row | None, within: str | None, own: OwnOnly | None
) -> R:
    """Answers 404 for records that the caller may not see, before anything else is checked."""
    if row is None or not table.belongs_to(record := load(row), within):
        raise table.missing()
    table.require_own(record, own)
    return record
