"""The same as `records` does for one, for many at a time: a statement for each batch of them."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeVar

import msgspec

from steward.kit.db.pool import Transaction
from steward.kit.db.table import Table
from steward.kit.events.event_types import Event, EventType, build_event
from steward.kit.events.publish import write_with_events
from steward.kit.records.records import ChangeEvents, differing, no_events, told
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.caller import TenantId

R = TypeVar("R", bound=msgspec.Struct)

_BATCH_SIZE = 500


async def create(
    tx: Transaction,
    table: Table[R],
    tenant: TenantId,
    records: Iterable[R],
    *,
    now: int,
    events: Sequence[EventType] = (),
) -> None:
    """A statement for each batch instead of one for each record; other requests get their turns in between."""
    coming, time_slice = iter(records), TimeSlice()
    while batch := list(islice(coming, _BATCH_SIZE)):
        made: list[Event] = []
        rows = []
        for record in batch:
            made += [build_event(kind, record, tenant=tenant, now=now) for kind in events]
            rows.append(table.row(tenant, record))
            if time_slice.expired:
                await time_slice.yield_control()
        await write_with_events(tx, tenant, table.insert_many, [rows], made, now)


async def write(
    tx: Transaction,
    table: Table[R],
    tenant: TenantId,
    pairs: Iterable[tuple[R, R]],
    *,
    now: int,
    events: ChangeEvents[R] = no_events,
) -> None:
    """The same for many locked records: a statement for each batch of those that differ in the same fields."""
    groups: dict[tuple[str, ...], list[tuple[R, R]]] = {}
    time_slice = TimeSlice()
    for old, wanted in pairs:
        if wanted != old:
            new = msgspec.structs.replace(wanted, updated=now)
            groups.setdefault(differing(table, old, new), []).append((old, new))
        if time_slice.expired:
            await time_slice.yield_control()
    for fields, group in groups.items():
        coming = iter(group)
        while batch := list(islice(coming, _BATCH_SIZE)):
            await _write_batch(tx, table, tenant, batch, fields, now=now, events=events)


async def _write_batch(
    tx: Transaction,
    table: Table[R],
    tenant: TenantId,
    batch: list[tuple[R, R]],
    fields: tuple[str, ...],
    *,
    now: int,
    events: ChangeEvents[R],
) -> None:
    rows = [
        {"id": getattr(new, table.fields[0]), **table.columns_of_change(tenant, new, fields)}
        for _, new in batch
    ]
    made = [event for old, new in batch for event in told(old, new, events, tenant=tenant, now=now)]
    columns = tuple(column for column in rows[0] if column != "id")
    await write_with_events(tx, tenant, table.update_many(columns), [rows], made, now)


async def lock(
    tx: Transaction, table: Table[R], tenant: TenantId, ids: Iterable[str], *, by_external_id: bool = False
) -> list[R]:
    """Those of them that are there."""
    statement = table.lock_many_by_external_id if by_external_id else table.lock_many
    assert statement is not None  # noqa: S101 (only asked for kinds that have one)
    found: list[R] = []
    coming = iter(sorted(ids))
    while batch := list(islice(coming, _BATCH_SIZE)):
        found += [table.load(row) for row in await tx.fetch(statement, tenant, batch)]
    return found
