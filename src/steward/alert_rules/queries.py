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


async def load_rule_index(db: Database, tenant: TenantId) -> RuleIndex:
    return RuleIndex(ALERT_RULES.load(row) for row in await db.fetch(_ENABLED, tenant))


async def count(db: Database, tenant: TenantId, like: AlertRule) -> tuple[int, int]:
    """How many rules there are, and how many of them for the same assets as this one."""
    row = await db.fetchrow(_COUNT, tenant, like.asset_type_id, like.asset_id)
    return (row[0], row[1]) if row is not None else (0, 0)


async def note_change(db: Database, tenant: TenantId, change_id: str, rule: AlertRule, due: int) -> None:
    """Has the assets of the rule looked at, at `due` at the latest."""
    await db.execute(_NOTE_CHANGE, tenant, change_id, rule.asset_type_id, rule.asset_id, due)
