"""Assets that no reading comes for: their timers run out all the same, and their rules may change.

Nothing here goes by what a process remembers of the rules; they are read in the transaction that holds the assets.
"""

from collections.abc import Sequence

from steward.alert_rules.queries import follow_severity, load_rule_index
from steward.ingest import devices
from steward.ingest.decisions import look_at
from steward.ingest.devices import Device
from steward.ingest.queries import store_state
from steward.kit.db.pool import Database, Transaction
from steward.kit.db.sql import Row, sql
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.caller import TenantId

_BATCH_SIZE = 200
# So many slices of assets are done before whoever changed a rule gets the answer; a worker does the rest.
_AT_ONCE_IN_A_REQUEST = 5
# What is left after so many is done in the next round, which begins at once where this one took long: so a large change keeps
# neither the others nor the end of the worker waiting.
_SLICES_IN_A_ROUND = 3

_TENANTS_DUE = sql(
    "SELECT DISTINCT organization_id FROM assets WHERE rules_due <= $1",
    across="the worker looks after the timers of all tenants",
)
_CHANGES_DUE = sql(
    "SELECT organization_id, id FROM alert_rule_changes WHERE due <= $1 ORDER BY due LIMIT 100",
    across="the worker applies the changed rules of all tenants",
)
_LOCK_CHANGE = sql(
    """SELECT asset_type_id, asset_id, after_asset FROM alert_rule_changes
       WHERE organization_id = $1 AND id = $2 FOR UPDATE SKIP LOCKED"""
)
_GO_ON = sql("UPDATE alert_rule_changes SET after_asset = $3 WHERE organization_id = $1 AND id = $2")
_LEAVE_TO_WORKER = sql("UPDATE alert_rule_changes SET due = $3 WHERE organization_id = $1 AND id = $2")
_DONE = sql("DELETE FROM alert_rule_changes WHERE organization_id = $1 AND id = $2")


async def run_rule_timers(db: Database, now: int) -> int:
    """Safe with several workers: each takes what no other holds, in transactions that stay short."""
    attended = 0
    for (tenant,) in await db.fetch(_TENANTS_DUE, now):
        for _ in range(_SLICES_IN_A_ROUND):
            some = await _run_some_timers(db, tenant, now)
            attended += some
            if some < _BATCH_SIZE:
                break
    return attended


async def apply_changes(db: Database, now: int) -> None:
    """Those that nobody has applied who should have: the change was too large for its request, or its process died."""
    for tenant, change_id in await db.fetch(_CHANGES_DUE, now):
        for _ in range(_SLICES_IN_A_ROUND):
            if not await _apply_slice(db, tenant, change_id, now):
                break


async def apply_change(db: Database, tenant: TenantId, change_id: str, now: int) -> None:
    """The first slices, at once; for most organizations that is everything."""
    for _ in range(_AT_ONCE_IN_A_REQUEST):
        if not await _apply_slice(db, tenant, change_id, now):
            return
    await db.execute(_LEAVE_TO_WORKER, tenant, change_id, now)


async def _run_some_timers(db: Database, tenant: TenantId, now: int) -> int:
    async with db.transaction() as tx:
        found = await devices.lock_due(tx, tenant, now, _BATCH_SIZE)
        await _look_at(tx, tenant, found, now)
        return len(found)


async def _apply_slice(db: Database, tenant: TenantId, change_id: str, now: int) -> bool:
    """Whether there may be more."""
    async with db.transaction() as tx:
        change = await tx.fetchrow(_LOCK_CHANGE, tenant, change_id)
        if change is None:
            return False
        found = await _in_scope(tx, tenant, change)
        await _look_at(tx, tenant, found, now)
        await follow_severity(tx, tenant, [device.id for device in found])
        if len(found) < _BATCH_SIZE:
            await tx.execute(_DONE, tenant, change_id)
            return False
        await tx.execute(_GO_ON, tenant, change_id, found[-1].id)
        return True


async def _in_scope(tx: Transaction, tenant: TenantId, change: Row) -> list[Device]:
    if change["asset_id"] is not None:
        return await devices.lock(tx, tenant, change["asset_id"])
    return await devices.lock_of_type(tx, tenant, change["asset_type_id"], change["after_asset"], _BATCH_SIZE)


async def _look_at(tx: Transaction, tenant: TenantId, found: Sequence[Device], now: int) -> None:
    if found:
        book = await load_rule_index(tx, tenant)
        decisions, time_slice = [], TimeSlice()
        for device in found:
            decisions.append(look_at(device, book.for_asset(device.id, device.asset_type_id), now))
            if time_slice.expired:
                await time_slice.yield_control()
        await store_state(tx, decisions, now)
