"""The queue of changed rules."""

from steward.kit.db.query import Database, Row, query
from steward.kit.security.caller import TenantId


@query(
    "SELECT organization_id, id FROM alert_rule_changes WHERE due <= $1 ORDER BY due LIMIT 100",
    across="the worker applies the changed rules of all tenants",
)
async def due_rule_changes(db: Database, now: int) -> list[tuple[TenantId, str]]:
    """Changed rules that a worker is to apply: (tenant, change)."""


@query(
    """SELECT asset_type_id, asset_id, after_asset FROM alert_rule_changes
       WHERE organization_id = $1 AND id = $2 FOR UPDATE SKIP LOCKED"""
)
async def lock_rule_change(tx: Database, tenant: TenantId, change_id: str) -> Row | None:
    """None if it is applied, or another worker holds it."""


@query("UPDATE alert_rule_changes SET after_asset = $3 WHERE organization_id = $1 AND id = $2")
async def advance_rule_change(tx: Database, tenant: TenantId, change_id: str, after_asset: str) -> None: ...


@query("UPDATE alert_rule_changes SET due = $3 WHERE organization_id = $1 AND id = $2")
async def leave_rule_change(db: Database, tenant: TenantId, change_id: str, now: int) -> None:
    """Leaves the rest to the worker."""


@query("DELETE FROM alert_rule_changes WHERE organization_id = $1 AND id = $2")
async def delete_rule_change(tx: Database, tenant: TenantId, change_id: str) -> None: ...
