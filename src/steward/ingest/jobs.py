"""Assets that no reading comes for: their timers run out all the same, and their rules may change.

Nothing here goes by what a process remembers of the rules; they are read in the transaction that holds the assets.
"""

from collections.abc import Sequence
from functools import partial

from steward.alert_rules.alerts.events import UPDATED
from steward.alert_rules.alerts.queries import follow_rule_severity
from steward.alert_rules.queries import load_rule_indexes
from steward.ingest import queries
from steward.ingest.devices import queries as devices
from steward.ingest.devices.model import Device, DeviceKey
from steward.ingest.rule_changes import queries as rule_changes
from steward.ingest.rules import alert_event, reevaluate_device
from steward.kit.db.pool import Database, Transaction
from steward.kit.db.sql import Row
from steward.kit.events.publish import publish
from steward.kit.jobs.drain import DueRecord, drain, drain_due
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.caller import TenantId

_BATCH_SIZE = 200
# How many batches of assets a request that changes a rule does itself; a worker does the rest.
_BATCHES_IN_A_REQUEST = 5
# What is left after so many is done in the next round, which begins at once where this one took long: so a large change keeps
# neither the others nor the end of the worker waiting.
_BATCHES_IN_A_ROUND = 3
# The same for the timers of all tenants together.
_TIMER_BATCHES_IN_A_ROUND = 25


async def run_rule_timers(db: Database, now: int) -> int:
    """Safe with several workers: each takes what no other holds, in transactions that stay short."""
    return await drain_due(
        partial(devices.due, db, now, _BATCH_SIZE),
        partial(_run_timers, db, now),
        batch_size=_BATCH_SIZE,
        max_batches=_TIMER_BATCHES_IN_A_ROUND,
    )


async def apply_changes(db: Database, now: int) -> None:
    """Applies the changes left over: the change was too large for its request, or its process died."""
    for tenant, change_id in await rule_changes.due_rule_changes(db, now):
        await _apply_batches(db, tenant, change_id, now, max_batches=_BATCHES_IN_A_ROUND)


async def apply_change(db: Database, tenant: TenantId, change_id: str, now: int) -> None:
    """The first batches, at once; for most organizations that is everything."""
    applied = await _apply_batches(db, tenant, change_id, now, max_batches=_BATCHES_IN_A_REQUEST)
    if applied == _BATCHES_IN_A_REQUEST * _BATCH_SIZE:
        await rule_changes.leave_rule_change(db, tenant, change_id, now)


async def _apply_batches(
    db: Database, tenant: TenantId, change_id: str, now: int, *, max_batches: int
) -> int:
    return await drain(
        partial(_apply_batch, db, tenant, change_id, now), batch_size=_BATCH_SIZE, max_batches=max_batches
    )


async def _run_timers(db: Database, now: int, due: Sequence[DueRecord]) -> list[DeviceKey]:
    """Of however many tenants at once."""
    async with db.transaction() as tx:
        found = await devices.lock_due(tx, due, now)
        await _reevaluate(tx, found, now)
        return [(device.organization_id, device.id) for device in found]


async def _apply_batch(db: Database, tenant: TenantId, change_id: str, now: int) -> int:
    """To how many assets; less than a full batch when the change is applied to all of them."""
    async with db.transaction() as tx:
        change = await rule_changes.lock_rule_change(tx, tenant, change_id)
        if change is None:
            return 0
        found = await _in_scope(tx, tenant, change)
        await _reevaluate(tx, found, now)
        await _follow_rule_severity(tx, tenant, found, now)
        if len(found) < _BATCH_SIZE:
            await rule_changes.delete_rule_change(tx, tenant, change_id)
        else:
            await rule_changes.advance_rule_change(tx, tenant, change_id, found[-1].id)
        return len(found)


async def _follow_rule_severity(tx: Transaction, tenant: TenantId, found: Sequence[Device], now: int) -> None:
    devices = {device.id: device for device in found}
    changed = await follow_rule_severity(tx, tenant, list(devices))
    events = [alert_event(UPDATED, devices[new.asset_id], new, now, old=old) for old, new in changed]
    await publish(tx, tenant, events, now)


async def _in_scope(tx: Transaction, tenant: TenantId, change: Row) -> list[Device]:
    if change["asset_id"] is not None:
        return await devices.lock(tx, tenant, change["asset_id"])
    return await devices.lock_of_type(tx, tenant, change["asset_type_id"], change["after_asset"], _BATCH_SIZE)


async def _reevaluate(tx: Transaction, found: Sequence[Device], now: int) -> None:
    if found:
        indexes = await load_rule_indexes(tx, {device.organization_id for device in found})
        decisions, time_slice = [], TimeSlice()
        for device in found:
            rules = indexes[device.organization_id].for_asset(device.id, device.asset_type_id)
            decisions.append(reevaluate_device(device, rules, now))
            if time_slice.expired:
                await time_slice.yield_control()
        await queries.store_state(tx, decisions, now)
