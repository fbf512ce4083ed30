import hashlib
import secrets
from collections.abc import Sequence

from steward.bookings.feeds import icalendar as calendar
from steward.bookings.feeds import queries
from steward.bookings.resources.queries import RESOURCES
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.runtime import clock
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.caller import Caller


async def new_link(db: Database, who: Caller, resource_id: str) -> str:
    """The token of the resource's calendar; only its hash is kept, and the one before stops working."""
    token = f"{who.tenant}.{secrets.token_urlsafe(32)}"
    async with db.transaction() as tx:
        await records.lock(tx, RESOURCES, who.tenant, resource_id)
        await queries.put_link(tx, who.tenant, resource_id, _digest(token), clock.now())
    return token


async def feed(db: Database, token: str) -> bytes:
    link = await queries.find_link(db, token.partition(".")[0], _digest(token))
    if link is None:
        raise NotFound("There is no such calendar.")
    tenant, resource_id, name = link
    shown = calendar.shown_window(clock.now())
    return await _written(name, await queries.entries(db, tenant, resource_id, shown))


async def _written(name: str, entries: Sequence[calendar.Entry]) -> bytes:
    """Thousands of entries take a while, in which others get their turns."""
    time_slice = TimeSlice()
    parts = [calendar.beginning(name, empty=not entries)]
    for entry in entries:
        parts.append(calendar.entry(entry))
        if time_slice.expired:
            await time_slice.yield_control()
    return b"".join((*parts, calendar.ENDING))


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
