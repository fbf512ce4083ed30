"""One way to read, make, change and delete a record, and to tell the world.

A change is a pure function from the old record to the new one, or a Problem. The mechanism reads the old record under
lock, holds it against `If-Match`, writes the columns that differ, and stores the events that tell of it, with their
deliveries, in the same statement. It is no ORM: there are no relations and no queries beyond the one row. Where a path
names what a record lies in, `within` is that identifier, and a record that lies elsewhere is as good as absent.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, TypeVar

import msgspec

from steward.kit.db.pool import Database, Transaction
from steward.kit.db.sql import Row
from steward.kit.db.table import Table
from steward.kit.domain.problems import PreconditionFailed
from steward.kit.events import outbox
from steward.kit.events.event_types import Event, EventType, build_event
from steward.kit.http.response import etag, matches_but_for_volatile
from steward.kit.runtime import clock
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.caller import TenantId

R = TypeVar("R", bound=msgspec.Struct)

_BATCH = 500

# Which events tell of a change from the first record to the second; one that isn't about the record itself brings the
# record that it is about.
Telling = EventType | tuple[EventType, msgspec.Struct]
Tells = Callable[[R, R], Iterable[Telling]]


def _nothing(_old: Any, _new: Any) -> Iterable[Telling]:
    return ()


async def known(db: Database, table: Table[Any], tenant: TenantId, ids: Iterable[str]) -> set[str]:
    """Which of these identifiers name a record."""
    return {row[0] for row in await db.fetch(table.known, tenant, list(ids))}


async def show(db: Database, table: Table[R], tenant: TenantId, id: str, *, within: str | None = None) -> R:
    """A record for the answer and nothing else."""
    row = await db.fetchrow(table.select, tenant, id)
    if row is None or not table.belongs_to(record := table.show(row), within):
        raise table.missing()
    return record


async def get(db: Database, table: Table[R], tenant: TenantId, id: str, *, within: str | None = None) -> R:
    row = await db.fetchrow(table.select, tenant, id)
    return _found(table, row, within)


async def create(
    db: Database, table: Table[R], tenant: TenantId, record: R, *, events: Sequence[EventType] = ()
) -> R:
    now = clock.now()
    made = [build_event(kind, record, tenant=tenant, now=now) for kind in events]
    values = table.row(tenant, record).values()
    await db.execute(table.insert(told=bool(made)), tenant, *values, *_told(made, now))
    return record


async def create_many(
    tx: Transaction,
    table: Table[R],
    tenant: TenantId,
    records: Iterable[R],
    *,
    events: Sequence[EventType] = (),
) -> None:
    """A statement for each batch instead of one for each record; other requests get their turns in between."""
    coming, time_slice = iter(records), TimeSlice()
    while batch := list(islice(coming, _BATCH)):
        now = clock.now()
        made: list[Event] = []
        rows = []
        for record in batch:
            made += [build_event(kind, record, tenant=tenant, now=now) for kind in events]
            rows.append(table.row(tenant, record))
            if time_slice.expired:
                await time_slice.yield_control()
        await tx.execute(table.insert_many(told=bool(made)), tenant, rows, *_told(made, now))


async def change(
    db: Database,
    table: Table[R],
    tenant: TenantId,
    id: str,
    *,
    to: Callable[[R], R],
    if_match: str | None = None,
    within: str | None = None,
    events: Tells[R] = _nothing,
) -> R:
    async with db.transaction() as tx:
        old = await lock(tx, table, tenant, id, if_match, within=within)
        return await write(tx, table, tenant, old, to(old), events=events)


async def write(
    tx: Database, table: Table[R], tenant: TenantId, old: R, new: R, *, events: Tells[R] = _nothing
) -> R:
    """Stores what differs between a locked record and its successor; nothing, when nothing does."""
    if new == old:
        return old
    now = clock.now()
    if "updated" in table.fields:
        new = msgspec.structs.replace(new, updated=now)
    differing = tuple(f for f in table.fields if getattr(new, f) != getattr(old, f))
    columns = table.columns_of_change(tenant, new, differing)
    made = [
        build_event(*(told if isinstance(told, tuple) else (told, new)), tenant=tenant, now=now, old=old)
        for told in events(old, new)
    ]
    statement = table.update(tuple(columns), told=bool(made))
    await tx.execute(statement, tenant, getattr(new, table.fields[0]), *columns.values(), *_told(made, now))
    return new


async def delete(
    db: Database,
    table: Table[R],
    tenant: TenantId,
    id: str,
    *,
    check_deletable: Callable[[R], None] = lambda _record: None,
    if_match: str | None = None,
    within: str | None = None,
    events: Callable[[R, int], Sequence[Event]] = lambda _record, _now: (),
) -> R:
    """`may_go` raises a Problem where the record has to stay."""
    async with db.transaction() as tx:
        old = await lock(tx, table, tenant, id, if_match, within=within)
        check_deletable(old)
        now = clock.now()
        made = events(old, now)
        await tx.execute(table.delete(told=bool(made)), tenant, id, *_told(made, now))
        return old


async def lock(
    tx: Database,
    table: Table[R],
    tenant: TenantId,
    id: str,
    if_match: str | None = None,
    *,
    within: str | None = None,
) -> R:
    record = _found(table, await tx.fetchrow(table.lock, tenant, id), within)
    require_match(record, if_match)
    return record


def require_match(resource: msgspec.Struct, if_match: str | None) -> None:
    """412 unless the caller has seen the resource as it is now, save for what moves by itself."""
    if if_match is None or if_match.strip() == "*":
        return
    tag = etag(resource)
    if not any(matches_but_for_volatile(tag, part.strip()) for part in if_match.split(",")):
        raise PreconditionFailed("The resource has changed since you read it; read it again.")


def _found(table: Table[R], row: Row | None, within: str | None) -> R:
    if row is None or not table.belongs_to(record := table.load(row), within):
        raise table.missing()
    return record


def _told(events: Sequence[Event], now: int) -> tuple[Any, ...]:
    return outbox.parameters(events, now) if events else ()
