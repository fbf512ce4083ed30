"""Archiving hides records that have a history; restoring shows them again."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import msgspec

from steward.kit.db.listing import Switch
from steward.kit.db.table import Table
from steward.kit.domain.archiving import archived, is_archived, register_archivable, restored
from steward.kit.events.event_types import EventType
from steward.kit.records import records
from steward.kit.records.context import Context, Target

R = TypeVar("R", bound=msgspec.Struct)
# Raises a Problem where the record has to stay as it is.
Check = Callable[[Context, R], Awaitable[None]]

# The condition for records that aren't archived: in lists by default, and in whatever else people choose from.
PRESENT = "archived_at IS NULL"
# What `archived` does in a list.
ARCHIVED = Switch(on="archived_at IS NOT NULL", off=PRESENT)


async def _nothing(*_: object) -> None:
    pass


class Archiving(msgspec.Struct, Generic[R], frozen=True):
    """The two moves of one kind of record. Making one again changes nothing and publishes nothing.

    `event` is published by a move; `first` takes the locks that come before the record's own.
    """

    table: Table[R]
    event: EventType
    first: Callable[[Context], Awaitable[None]] = _nothing
    check_archivable: Check[R] = _nothing
    check_restorable: Check[R] = _nothing

    def __post_init__(self) -> None:
        register_archivable(self.table.noun)

    async def archive(self, ctx: Target) -> R:
        async with ctx.transaction() as ctx:
            old = await self._locked(ctx)
            if is_archived(old):
                return old
            await self.check_archivable(ctx, old)
            return await self._write(ctx, old, archived(old, ctx.now))

    async def restore(self, ctx: Target) -> R:
        async with ctx.transaction() as ctx:
            old = await self._locked(ctx)
            if not is_archived(old):
                return old
            await self.check_restorable(ctx, old)
            return await self._write(ctx, old, restored(old))

    async def _locked(self, ctx: Target) -> R:
        await self.first(ctx)
        return await records.lock(ctx, self.table)

    async def _write(self, ctx: Target, old: R, new: R) -> R:
        return await records.write(ctx, self.table, old, new, self.event)
