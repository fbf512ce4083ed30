"""One way to put records out of sight that have a past, and to bring them back."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import msgspec

from steward.kit.db.filters import Switch
from steward.kit.db.pool import Database, Transaction
from steward.kit.db.table import Table
from steward.kit.domain.archiving import archived, is_archived, register_archivable, restored
from steward.kit.domain.versions import Precondition
from steward.kit.events.event_types import EventType
from steward.kit.records import records
from steward.kit.security.caller import Caller, TenantId

R = TypeVar("R", bound=msgspec.Struct)
# Raises a Problem where the record has to stay as it is.
Check = Callable[[Database, TenantId, R], Awaitable[None]]

# The condition for what is in sight: in lists by default, and in whatever else people choose from.
PRESENT = "archived_at IS NULL"
# What `archived` does in a list.
ARCHIVED = Switch(on="archived_at IS NOT NULL", off=PRESENT)


async def _nothing(*_: object) -> None:
    pass


class Archiving(Generic[R]):
    """The two moves of one kind of record. Whoever makes one again changes nothing, and nothing is told.

    `event` tells of a move; `first` takes the locks that come before the record's own.
    """

    def __init__(
        self,
        table: Table[R],
        *,
        event: EventType | None = None,
        first: Callable[[Database, TenantId], Awaitable[None]] = _nothing,
        check_archivable: Check[R] = _nothing,
        check_restorable: Check[R] = _nothing,
    ) -> None:
        self._table = table
        self._events = () if event is None else (event,)
        self._first = first
        self._check_archivable = check_archivable
        self._check_restorable = check_restorable
        register_archivable(table.noun)

    async def archive(
        self, db: Database, who: Caller, id: str, /, *, precondition: Precondition, now: int
    ) -> R:
        async with db.transaction() as tx:
            old = await self._locked(tx, who, id, precondition)
            if is_archived(old):
                return old
            await self._check_archivable(tx, who.tenant, old)
            return await self._write(tx, who, old, archived(old, now), now)

    async def restore(
        self, db: Database, who: Caller, id: str, /, *, precondition: Precondition, now: int
    ) -> R:
        async with db.transaction() as tx:
            old = await self._locked(tx, who, id, precondition)
            if not is_archived(old):
                return old
            await self._check_restorable(tx, who.tenant, old)
            return await self._write(tx, who, old, restored(old), now)

    async def _locked(self, tx: Transaction, who: Caller, id: str, precondition: Precondition) -> R:
        await self._first(tx, who.tenant)
        return await records.lock(tx, self._table, who.tenant, id, precondition)

    async def _write(self, tx: Transaction, who: Caller, old: R, new: R, now: int) -> R:
        told = records.always(*self._events)
        return await records.write(tx, self._table, who.tenant, old, new, events=told, now=now)
