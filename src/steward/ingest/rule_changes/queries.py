"""The queue of changed rules."""

from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, sql
from steward.kit.security.caller import TenantId

_DUE_RULE_CHANGES = sql(
    "SELECT organization_id, id FROM alert_rule_changes WHERE due <= $1 ORDER BY due LIMIT 100",
    across="the worker applies the changed rules of all tenants",
)
_LOCK_RULE_CHANGE = sql(
    """SELECT asset_type_id, asset_id, after_asset FROM alert_rule_changes
       WHERE organization_id = $1 AND id = $2 FOR UPDATE SKIP LOCKED"""
)
_ADVANCE_RULE_CHANGE = sql(
    "UPDATE alert_rule_changes SET after_asset = $3 WHERE organization_id = $1 AND id = $2"
)
_LEAVE_RULE_CHANGE = sql("UPDATE alert_rule_changes SET due = $3 WHERE organization_id = $1 AND id = $2")
_DELETE_RULE_CHANGE = sql("DELETE FROM alert_rule_changes WHERE organization_id = $1 AND id = $2")


async def due_rule_changes(db: Database, now: int) -> list[tuple[TenantId, str]]:
    """Changed rules that a worker is to apply: (tenant, change)."""
    return [(row[0], row[1]) for row in await db.fetch(_DUE_RULE_CHANGES, now)]


async def lock_rule_change(tx: Database, tenant: TenantId, change_id: str) -> Row | None:
    """None if it is applied, or another worker holds it."""
    return await tx.fetchrow(_LOCK_RULE_CHANGE, tenant, change_id)


async def advance_rule_change(tx: Database, tenant: TenantId, change_id: str, after_asset: str) -> None:
    await tx.execute(_ADVANCE_RULE_CHANGE, tenant, change_id, after_asset)


async def leave_rule_change(db: Database, tenant: TenantId, change_id: str, now: int) -> None:
    """Leaves the rest to the worker."""
    await db.execute(_LEAVE_RULE_CHANGE, tenant, change_id, now)


async def delete_rule_change(tx: Database, tenant: TenantId, change_id: str) -> None:
    await tx.execute(_DELETE_RULE_CHANGE, tenant, change_id)
