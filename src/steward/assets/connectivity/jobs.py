"""The connectivity check: finds devices that went offline or came back, and publishes each change.

Its cost follows the devices that are due, not those that exist: a connected device is due when its window
would end without another reading, and an offline one when a reading arrives.
"""

from collections.abc import Sequence
from functools import partial

from steward.assets.connectivity import queries
from steward.assets.connectivity.model import DeviceConnectivity
from steward.assets.connectivity.rules import evaluate
from steward.assets.events import connectivity_change
from steward.kit.db.pool import Database
from steward.kit.jobs.drain import DueRecord, drain, drain_due
from steward.kit.jobs.runner import Job
from steward.kit.jobs.singleton_job import run_as_singleton
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId

JOB = "check_connectivity"
_BATCH_SIZE = 1000
_POLL_SECONDS = 1


def connectivity_job(db: Database, every_seconds: int) -> Job:
    """Runs often and checks at its interval, so that another worker takes over soon after one dies."""

    async def check() -> None:
        now = clock.now()
        await run_as_singleton(db, JOB, every_seconds, now, lambda: check_connectivity(db, now))

    return Job(JOB, _POLL_SECONDS, check)


async def check_connectivity(db: Database, now: int, *, batch_size: int = _BATCH_SIZE) -> int:
    """Checks every device that is due; returns how many connection statuses changed or were first recorded.

    Safe with several workers. Rows that are locked now are left for the next check.
    """
    await _apply_changed_types(db, now, batch_size)
    changed = 0

    async def check(due: Sequence[DueRecord]) -> set[tuple[TenantId, str]]:
        nonlocal changed
        devices, changes = await _check_devices(db, due, now)
        changed += changes
        return {(device.organization_id, device.id) for device in devices}

    await drain_due(partial(queries.due, db, now, batch_size), check, batch_size=batch_size)
    return changed


async def _check_devices(
    db: Database, due: Sequence[DueRecord], now: int
) -> tuple[list[DeviceConnectivity], int]:
    """For any number of tenants at once; returns how many were checked, and how many changed."""
    async with db.transaction() as tx:
        devices = await queries.lock_due(tx, due, now)
        evaluated = [(device, *evaluate(device, now)) for device in devices]
        events = [
            (device.organization_id, connectivity_change(device, connected=connected, now=now))
            for device, connected, _ in evaluated
            if connected != device.connection_status
        ]
        if evaluated:
            rows = [
                (device.organization_id, device.id, connected, next_look)
                for device, connected, next_look in evaluated
            ]
            await queries.write(tx, rows, events, now)
        return devices, len(events)


async def _apply_changed_types(db: Database, now: int, batch_size: int) -> None:
    """A type's changed keepAlive applies to its devices at once, whenever their next check would have been."""

    async def apply_batch() -> int:
        types = await queries.types_to_recheck(db, batch_size)
        for tenant, type_id, keep_alive, is_device in types:
            if is_device:
                earlier = partial(queries.look_earlier, db, tenant, type_id, keep_alive, now, most=batch_size)
                await drain(earlier, batch_size=batch_size)
            await queries.mark_applied(db, tenant, type_id, keep_alive, is_device=is_device)
        return len(types)

    await drain(apply_batch, batch_size=batch_size)
