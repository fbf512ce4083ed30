"""Gives up bookings that nobody checked into in time, so that others can have the slot."""

from steward.bookings import queries, rules
from steward.bookings.told import tells
from steward.kit import records
from steward.kit.caller import TenantId
from steward.kit.db import Database

_AT_ONCE = 100


async def release_no_shows(db: Database, now: int) -> int:
    """Safe with several workers: each takes what no other holds, in transactions that stay short."""
    released = 0
    for tenant in await queries.tenants_with_no_shows(db, now):
        while some := await _release_some(db, tenant, now):
            released += some
            if some < _AT_ONCE:
                break
    return released


async def _release_some(db: Database, tenant: TenantId, now: int) -> int:
    async with db.transaction() as tx:
        found = await queries.lock_no_shows(tx, tenant, now, _AT_ONCE)
        for booking in found:
            given_up = rules.give_up(booking)
            await records.write(tx, queries.BOOKINGS, tenant, booking, given_up, tells=tells)
        return len(found)
