"""The connectivity check: sees which devices have fallen silent and which are heard again, and tells of each change.

Its cost follows the devices that are due for a look, not those that exist: a connected device is due when its window would
end if nothing more were heard of it, and one that is offline when a reading comes.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from steward.assets import connectivity_queries as queries
from steward.assets.connectivity import judge
from steward.assets.told import connectivity_change
from steward.kit import clock
from steward.kit.caller import TenantId
from steward.kit.db import Database
from steward.kit.worker import Job
from steward.upkeep.duties import on_duty

DUTY = "check connectivity"
_AT_ONCE = 1000
_POLL_SECONDS = 1


def connectivity_job(db: Database, every_seconds: int) -> Job:
    """Asks often and checks at its interval, so that another worker goes on soon where one has died."""

    async def check() -> None:
        now = clock.now()
        await on_duty(db, DUTY, every_seconds, now, lambda: check_connectivity(db, now))

    return Job(DUTY, _POLL_SECONDS, check)


async def check_connectivity(db: Database, now: int, *, at_once: int = _AT_ONCE) -> int:
    """Looks at every device that is due; returns for how many the connection status changed or was first recorded.

    Safe with several workers. What somebody is changing right now is left for the next check.
    """
    await _heed_changed_types(db, now, at_once)
    changed = 0
    last: queries.Due | None = None
    while due := await queries.due(db, now, at_once, after=last):
        for tenant, found in groupby(sorted(due, key=attrgetter("tenant")), key=attrgetter("tenant")):
            changed += await _check_some(db, tenant, [device.asset_id for device in found], now)
        if len(due) < at_once:
            break
        last = due[-1]
    return changed


async def _check_some(db: Database, tenant: TenantId, ids: Sequence[str], now: int) -> int:
    async with db.transaction() as tx:
        devices = await queries.lock_due(tx, tenant, ids, now)
        judged = [(device, *judge(device, now)) for device in devices]
        events = [
            connectivity_change(device, connected=connected, tenant=tenant, now=now)
            for device, connected, _ in judged
            if connected != device.connection_status
        ]
        if judged:
            rows = [(device.id, connected, due) for device, connected, due in judged]
            await queries.write(tx, tenant, rows, events, now)
        return len(events)


async def _heed_changed_types(db: Database, now: int, at_once: int) -> None:
    """A type's other keepAlive holds for its devices at once, whenever they would have been looked at."""
    while types := await queries.types_to_heed(db, at_once):
        for tenant, type_id, keep_alive, is_device in types:
            if is_device:
                while (
                    await queries.look_earlier(db, tenant, type_id, keep_alive, now, most=at_once) == at_once
                ):
                    pass
            await queries.heeded(db, tenant, type_id, keep_alive, is_device=is_device)
        if len(types) < at_once:
            break
