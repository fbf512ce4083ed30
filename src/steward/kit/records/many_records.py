"""The same as `records` does for one, for many at a time: a statement for each batch of them."""

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

import msgspec

from steward.kit.db.table import Table
from steward.kit.events.event_types import Event, EventType, build_event
from steward.kit.events.publish import write_with_events
from steward.kit.records.context import Context
from steward.kit.records.records import Events, differing, events_of
from steward.kit.runtime.time_slice import TimeSlice

R = TypeVar("R", bound=msgspec.Struct)

_BATCH_SIZE = 500


async def create(ctx: Context, table: Table[R], records: Iterable[R], *events: EventType) -> None:
    """A statement for each batch instead of one for each record; other requests get their turns in between."""
    coming, time_slice = iter(records), TimeSlice()
    while batch := list(islice(coming, _BATCH_SIZE)):
        made: list[Event] = []
        rows = []
        for record in batch:
            made += [build_event(kind, record, tenant=ctx.tenant, now=ctx.now) for kind in events]
            rows.append(table.row(ctx.tenant, record))
            if time_slice.expired:
                await time_slice.yield_control()
        await write_with_events(ctx.db, ctx.tenant, table.insert_many, [rows], made, ctx.now)


async def write(
    ctx: Context, table: Table[R], pairs: Iterable[tuple[R, R]], events: Events[R] = None
) -> None:
    """The same for many locked records: a statement for each batch of those that differ in the same fields."""
    groups: dict[tuple[str, ...], list[tuple[R, R]]] = {}
    time_slice = TimeSlice()
    for old, wanted in pairs:
        if wanted != old:
            new = msgspec.structs.replace(wanted, updated=ctx.now)
            groups.setdefault(differing(table, old, new), []).append((old, new))
        if time_slice.expired:
            await time_slice.yield_control()
    for fields, group in groups.items():
        coming = iter(group)
        while batch := list(islice(coming, _BATCH_SIZE)):
            await _write_batch(ctx, table, batch, fields, events)


async def _write_batch(
    ctx: Context,
    table: Table[R],
    batch: list[tuple[R, R]],
    fields: tuple[str, ...],
    events: Events[R],
) -> None:
    rows = [
        {"id": getattr(new, table.fields[0]), **table.columns_of_change(ctx.tenant, new, fields)}
        for _, new in batch
    ]
    made = [event for old, new in batch for event in events_of(ctx, old, new, events)]
    columns = tuple(column for column in rows[0] if column != "id")
    await write_with_events(ctx.db, ctx.tenant, table.update_many(columns), [rows], made, ctx.now)


async def lock(ctx: Context, table: Table[R], ids: Iterable[str], *, by_external_id: bool = False) -> list[R]:
    """Those of them that exist."""
    statement = table.lock_many_by_external_id if by_external_id else table.lock_many
    assert statement is not None  # noqa: S101 (only asked for kinds that have one)
    found: list[R] = []
    coming = iter(sorted(ids))
    while batch := list(islice(coming, _BATCH_SIZE)):
        found += [table.load(row) for row in await ctx.db.fetch(statement, ctx.tenant, batch)]
    return found
