from collections.abc import Sequence

from steward.alert_rules.alerts.model import Alert
from steward.kit.db.pagination import Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId

ALERTS = Table("alerts", Alert, "alert")
LISTING = Listing(
    "alerts",
    json_columns(Alert),
    filters={
        "status": "status = {}",
        "severity": "severity = {}",
        "asset_id": "asset_id = {}",
        "rule_id": "rule_id = {}",
    },
)

_LOCK_ASSET = sql("SELECT id FROM assets WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE")
_FOLLOW_RULE_SEVERITY = sql(
    """UPDATE alerts a SET severity = r.severity FROM alert_rules r
       WHERE a.organization_id = $1 AND a.asset_id = ANY ($2::text[]) AND a.status <> 'Cleared'
         AND r.organization_id = $1 AND r.id = a.rule_id AND r.severity <> a.severity"""
)


async def lock_asset(db: Database, tenant: TenantId, asset_id: str) -> None:
    """Until the transaction ends, no reading, timer or change of rules touches the asset or its alerts."""
    await db.execute(_LOCK_ASSET, tenant, asset_id)


async def follow_rule_severity(db: Database, tenant: TenantId, asset_ids: Sequence[str]) -> None:
    """Open alerts of these assets, which are locked, take the severity that their rules have by now."""
    await db.execute(_FOLLOW_RULE_SEVERITY, tenant, asset_ids)
