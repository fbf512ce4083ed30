"""One way to read, make, change and delete a record, and to tell the world.

A change is a pure function from the old record to the new one, or a Problem. The mechanism reads the old record under
lock, holds it against the precondition, writes the columns that differ, and stores the events that tell of it, with their
deliveries, in the same statement. It is no ORM: there are no relations and no queries beyond the one row. Where a path
names what a record belongs to, `within` is that identifier, and a record that belongs elsewhere is as good as absent.
`own` keeps a caller to records of their own.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from steward.kit.db.holders import refuse_held
from steward.kit.db.pool import Database
from steward.kit.db.references import name_all_broken
from steward.kit.db.sql import Row
from steward.kit.db.table import Table
from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.events.event_types import Event, EventType, build_event, deletion
from steward.kit.events.publish import write_with_events
from steward.kit.records.moves import Moves
from steward.kit.security.caller import OwnOnly, TenantId

R = TypeVar("R", bound=msgspec.Struct)

# Which events tell of a change from the first record to the second; one that isn't about the record itself brings the
# record that it is about, and where filters look at more than the record, what that was before.
ChangeEvent = EventType | tuple[EventType, msgspec.Struct] | tuple[EventType, msgspec.Struct, msgspec.Struct]
ChangeEvents = Callable[[R, R], Iterable[ChangeEvent]]


def no_events(_old: Any, _new: Any) -> Iterable[ChangeEvent]:
    return ()


def always(*kinds: EventType) -> ChangeEvents[Any]:
    """Of every change alike."""
    return lambda _old, _new: kinds


def _unchanged(record: R) -> R:
    return record


async def known(db: Database, table: Table[Any], tenant: TenantId, ids: Iterable[str]) -> set[str]:
    """Which of these identifiers name a record."""
    return {row[0] for row in await db.fetch(table.known, tenant, list(ids))}


async def show(
    db: Database,
    table: Table[R],
    tenant: TenantId,
    id: str,
    *,
    within: str | None = None,
    own: OwnOnly | None = None,
) -> R:
    """A record for the answer and nothing else."""
    return _found(table, table.show, await db.fetchrow(table.select, tenant, id), within, own)


async def get(
    db: Database,
    table: Table[R],
    tenant: TenantId,
    id: str,
    *,
    within: str | None = None,
    own: OwnOnly | None = None,
) -> R:
    return _found(table, table.load, await db.fetchrow(table.select, tenant, id), within, own)


async def by_external_id(db: Database, table: Table[R], tenant: TenantId, external_id: str) -> R | None:
    """The record that another system calls so, if there is one."""
    assert table.by_external_id is not None  # noqa: S101 (only asked for kinds that have one)
    row = await db.fetchrow(table.by_external_id, tenant, external_id)
    return None if row is None else table.load(row)


async def create(
    db: Database, table: Table[R], tenant: TenantId, record: R, *, now: int, events: Sequence[EventType] = ()
) -> R:
    made = [build_event(kind, record, tenant=tenant, now=now) for kind in events]
    row = table.row(tenant, record)
    storing = write_with_events(db, tenant, table.insert, row.values(), made, now)
    await name_all_broken(storing, db, table.name, tenant, row)
    return record


async def change(
    db: Database,
    table: Table[R],
    tenant: TenantId,
    id: str,
    *,
    to: Callable[[R], R],
    now: int,
    precondition: Precondition = UNCONDITIONAL,
    within: str | None = None,
    own: OwnOnly | None = None,
    events: ChangeEvents[R] = no_events,
) -> R:
    async with db.transaction() as tx:
        old = await lock(tx, table, tenant, id, precondition, within=within, own=own)
        return await write(tx, table, tenant, old, to(old), now=now, events=events)


async def move(
    db: Database,
    table: Table[R],
    moves: Moves,
    tenant: TenantId,
    id: str,
    verb: str,
    *,
    now: int,
    first: Callable[[R], R] = _unchanged,
    then: Callable[[R], R] = _unchanged,
    precondition: Precondition = UNCONDITIONAL,
    within: str | None = None,
    own: OwnOnly | None = None,
    events: ChangeEvents[R] | None = None,
) -> R:
    """Makes a move of a state machine; the row of `verb` says from where, to where, and what is told of it.

    `then` is what else the move does to the record, which has its new state already; or a Problem. `first` is what has
    happened to it meanwhile; where that is to be told as well, `events` says so instead of the row.
    """
    event = moves[verb].event
    return await change(
        db,
        table,
        tenant,
        id,
        to=lambda old: then(moves.apply(first(old), verb)),
        now=now,
        precondition=precondition,
        within=within,
        own=own,
        events=events or (lambda _old, _new: () if event is None else (event,)),
    )


async def write(
    tx: Database,
    table: Table[R],
    tenant: TenantId,
    old: R,
    new: R,
    *,
    now: int,
    events: ChangeEvents[R] = no_events,
) -> R:
    """Stores what differs between a locked record and its successor; nothing, when nothing does."""
    if new == old:
        return old
    if "updated" in table.fields:
        new = msgspec.structs.replace(new, updated=now)
    columns = table.columns_of_change(tenant, new, differing(table, old, new))
    made = told(old, new, events, tenant=tenant, now=now)
    values = [getattr(new, table.fields[0]), *columns.values()]
    storing = write_with_events(tx, tenant, table.update(tuple(columns)), values, made, now)
    await name_all_broken(storing, tx, table.name, tenant, columns)
    return new


def differing(table: Table[R], old: R, new: R) -> tuple[str, ...]:
    return tuple(field for field in table.fields if getattr(new, field) != getattr(old, field))


def told(old: R, new: R, events: ChangeEvents[R], *, tenant: TenantId, now: int) -> list[Event]:
    made = []
    for event in events(old, new):
        kind, after, *before = event if isinstance(event, tuple) else (event, new)
        made.append(build_event(kind, after, tenant=tenant, now=now, old=before[0] if before else old))
    return made


async def delete(
    db: Database,
    table: Table[R],
    tenant: TenantId,
    id: str,
    *,
    now: int,
    check_deletable: Callable[[R], None] = lambda _record: None,
    precondition: Precondition = UNCONDITIONAL,
    within: str | None = None,
    event: EventType | None = None,
) -> R:
    """`check_deletable` raises a Problem where the record has to stay; `event` tells that it is gone."""
    async with db.transaction() as tx:
        old = await lock(tx, table, tenant, id, precondition, within=within)
        check_deletable(old)
        await refuse_held(tx, table.name, table.noun, tenant, id)
        made = [] if event is None else [deletion(event, old, tenant=tenant, now=now)]
        await write_with_events(tx, tenant, table.delete, [id], made, now)
        return old


async def lock(
    tx: Database,
    table: Table[R],
    tenant: TenantId,
    id: str,
    precondition: Precondition = UNCONDITIONAL,
    *,
    within: str | None = None,
    own: OwnOnly | None = None,
) -> R:
    record = _found(table, table.load, await tx.fetchrow(table.lock, tenant, id), within, own)
    precondition.require(table.seen_by(record, own))
    return record


def _found(
    table: Table[R], load: Callable[[Row], R], row: Row | None, within: str | None, own: OwnOnly | None
) -> R:
    """Before anything else is said of it: what somebody may not see gives no other answer than what isn't there."""
    if row is None or not table.belongs_to(record := load(row), within):
        raise table.missing()
    table.require_own(record, own)
    return record
