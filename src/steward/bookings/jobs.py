"""Releases bookings without a check-in in time, so that others can have the slot."""

from functools import partial

from steward.bookings import queries
from steward.bookings.rules import MOVES, BookingMoveDetails
from steward.kit.db.pool import Database
from steward.kit.jobs.drain import drain
from steward.kit.records import records
from steward.kit.records.context import Context
from steward.kit.security.caller import TenantId

_BATCH_SIZE = 100


async def release_no_shows(db: Database, now: int) -> int:
    """Safe with several workers: each takes rows that no other has locked, in short transactions."""
    released = 0
    for tenant in await queries.tenants_with_no_shows(db, now):
        released += await drain(partial(_release_batch, db, tenant, now), batch_size=_BATCH_SIZE)
    return released


async def _release_batch(db: Database, tenant: TenantId, now: int) -> int:
    async with Context.of_tenant(db, tenant, now).transaction() as ctx:
        found = await queries.lock_no_shows(ctx.tx, tenant, now, _BATCH_SIZE)
        for booking in found:
            released = MOVES.apply(booking, "release", BookingMoveDetails(now))
            await records.write(ctx, queries.BOOKINGS, booking, released, MOVES.change_events)
        return len(found)
