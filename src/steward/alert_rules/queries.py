from collections.abc import Sequence

from steward.alert_rules.alerts.model import Alert
from steward.alert_rules.model import AlertRule
from steward.alert_rules.rule_index import RuleIndex
from steward.kit.db.pagination import Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId

ALERT_RULES = Table("alert_rules", AlertRule, "alert rule")
LISTING = Listing(
    "alert_rules",
    json_columns(AlertRule),
    filters={
        "asset_type_id": "asset_type_id = {}",
        "asset_id": "asset_id = {}",
        "severity": "severity = {}",
        "enabled": "enabled = {}",
    },
)
ALERTS = Table("alerts", Alert, "alert")
ALERT_LISTING = Listing(
    "alerts",
    json_columns(Alert),
    filters={
        "status": "status = {}",
        "severity": "severity = {}",
        "asset_id": "asset_id = {}",
        "rule_id": "rule_id = {}",
    },
)

_ENABLED = sql(
    f"SELECT {', '.join(ALERT_RULES.columns)} FROM alert_rules WHERE organization_id = $1 AND enabled ORDER BY id"
)
_COUNT = sql(
    """SELECT count(*), count(*) FILTER (WHERE asset_type_id = $2 OR asset_id = $3) FROM alert_rules
       WHERE organization_id = $1"""
)
_NOTE_CHANGE = sql(
    """INSERT INTO alert_rule_changes (organization_id, id, asset_type_id, asset_id, after_asset, due)
       VALUES ($1, $2, $3, $4, '', $5)"""
)
_HOLD_ASSET = sql("SELECT id FROM assets WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE")
_FOLLOW_SEVERITY = sql(
    """UPDATE alerts a SET severity = r.severity FROM alert_rules r
       WHERE a.organization_id = $1 AND a.asset_id = ANY ($2::text[]) AND a.status <> 'Cleared'
         AND r.organization_id = $1 AND r.id = a.rule_id AND r.severity <> a.severity"""
)


async def load_rule_index(db: Database, tenant: TenantId) -> RuleIndex:
    return RuleIndex(ALERT_RULES.load(row) for row in await db.fetch(_ENABLED, tenant))


async def count(db: Database, tenant: TenantId, like: AlertRule) -> tuple[int, int]:
    """How many rules there are, and how many of them for the same assets as this one."""
    row = await db.fetchrow(_COUNT, tenant, like.asset_type_id, like.asset_id)
    return (row[0], row[1]) if row is not None else (0, 0)


async def note_change(db: Database, tenant: TenantId, change_id: str, rule: AlertRule, due: int) -> None:
    """Has the assets of the rule looked at, at `due` at the latest."""
    await db.execute(_NOTE_CHANGE, tenant, change_id, rule.asset_type_id, rule.asset_id, due)


async def hold_asset(db: Database, tenant: TenantId, asset_id: str) -> None:
    """Until the transaction ends, no reading, timer or change of rules touches the asset or its alerts."""
    await db.execute(_HOLD_ASSET, tenant, asset_id)


async def follow_severity(db: Database, tenant: TenantId, asset_ids: Sequence[str]) -> None:
    """Open alerts of these assets, which are held, take the severity that their rules have by now."""
    await db.execute(_FOLLOW_SEVERITY, tenant, asset_ids)
