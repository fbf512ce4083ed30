"""The connectivity check: sees which devices have fallen silent and which are heard again, and tells of each change.

Its cost follows the devices that are due for a look, not those that exist: a connected device is due when its window would
end if nothing more were heard of it, and one that is offline when a reading comes.
"""

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter

from steward.assets.connectivity import queries
from steward.assets.connectivity.rules import evaluate
from steward.assets.events import connectivity_change
from steward.kit.db.pool import Database
from steward.kit.runtime import clock
from steward.kit.runtime.drain import drain
from steward.kit.runtime.jobs import Job
from steward.kit.runtime.singleton_job import run_as_singleton
from steward.kit.security.caller import TenantId

JOB = "check connectivity"
_BATCH_SIZE = 1000
_POLL_SECONDS = 1


def connectivity_job(db: Database, every_seconds: int) -> Job:
    """Asks often and checks at its interval, so that another worker goes on soon where one has died."""

    async def check() -> None:
        now = clock.now()
        await run_as_singleton(db, JOB, every_seconds, now, lambda: check_connectivity(db, now))

    return Job(JOB, _POLL_SECONDS, check)


async def check_connectivity(db: Database, now: int, *, batch_size: int = _BATCH_SIZE) -> int:
    """Looks at every device that is due; returns for how many the connection status changed or was first recorded.

    Safe with several workers. What somebody is changing right now is left for the next check.
    """
    await _apply_changed_types(db, now, batch_size)
    changed = 0
    last: queries.Due | None = None

    async def check_batch() -> int:
        nonlocal changed, last
        due = await queries.due(db, now, batch_size, after=last)
        for tenant, found in groupby(sorted(due, key=attrgetter("tenant")), key=attrgetter("tenant")):
            changed += await _check_devices(db, tenant, [device.asset_id for device in found], now)
        if due:
            last = due[-1]
        return len(due)

    await drain(check_batch, batch_size=batch_size)
    return changed


async def _check_devices(db: Database, tenant: TenantId, ids: Sequence[str], now: int) -> int:
    async with db.transaction() as tx:
        devices = await queries.lock_due(tx, tenant, ids, now)
        evaluated = [(device, *evaluate(device, now)) for device in devices]
        events = [
            connectivity_change(device, connected=connected, tenant=tenant, now=now)
            for device, connected, _ in evaluated
            if connected != device.connection_status
        ]
        if evaluated:
            rows = [(device.id, connected, due) for device, connected, due in evaluated]
            await queries.write(tx, tenant, rows, events, now)
        return len(events)


async def _apply_changed_types(db: Database, now: int, batch_size: int) -> None:
    """A type's other keepAlive holds for its devices at once, whenever they would have been looked at."""

    async def apply_batch() -> int:
        types = await queries.types_to_recheck(db, batch_size)
        for tenant, type_id, keep_alive, is_device in types:
            if is_device:
                earlier = partial(queries.look_earlier, db, tenant, type_id, keep_alive, now, most=batch_size)
                await drain(earlier, batch_size=batch_size)
            await queries.mark_applied(db, tenant, type_id, keep_alive, is_device=is_device)
        return len(types)

    await drain(apply_batch, batch_size=batch_size)
