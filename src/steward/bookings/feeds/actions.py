from collections.abc import Sequence
from functools import lru_cache

from steward.bookings.feeds import icalendar, queries
from steward.bookings.feeds.model import FUTURE_SECONDS, MAX_ENTRIES, PAST_SECONDS, READS, Entry
from steward.bookings.resources.queries import RESOURCES
from steward.bookings.slots import Slot
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.runtime.fair_turns import take_turn
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security import link_token

# Calendar programs ask again and again for unchanged bookings: two of the largest feeds, some 30 MB.
_entry = lru_cache(maxsize=2 * MAX_ENTRIES)(icalendar.entry)


async def new_link(ctx: Target) -> str:
    """The token of the resource's calendar; only its hash is stored, and the token before stops working."""
    token = link_token.new(ctx.tenant)
    async with ctx.transaction() as ctx:
        await records.lock(ctx, RESOURCES)
        await queries.put_link(ctx.tx, ctx.tenant, ctx.id, link_token.digest(token), ctx.now)
    return token


async def revoke_link(ctx: Target) -> None:
    """The link answers 404 from now on."""
    if not await queries.delete_link(ctx.db, ctx.tenant, ctx.id):
        await records.get(ctx.db, RESOURCES, ctx.tenant, ctx.id)
        raise NotFound("This resource has no calendar link.")


async def feed(limiter: Limiter, db: Database, token: str, *, now: int) -> bytes:
    digest = link_token.digest(token)
    link = await queries.find_link(db, link_token.owner(token), digest)
    if link is None:
        raise NotFound("There is no such calendar.")
    await limiter.require(READS, digest.hex())
    tenant, resource_id, name = link
    await take_turn(tenant)
    entries = await queries.entries(db, tenant, resource_id, Slot(now - PAST_SECONDS, now + FUTURE_SECONDS))
    return await write_feed(name, entries)


async def write_feed(name: str, entries: Sequence[Entry]) -> bytes:
    """Thousands of entries take long, so other requests run in between."""
    time_slice = TimeSlice()
    parts = [icalendar.beginning(name, empty=not entries)]
    for entry in entries:
        parts.append(_entry(entry))
        if time_slice.expired:
            await time_slice.yield_control()
    return b"".join((*parts, icalendar.ENDING))
