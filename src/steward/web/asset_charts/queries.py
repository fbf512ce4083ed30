import msgspec

from steward.alert_rules.model import Condition
from steward.kit.db.query import Database, query
from steward.kit.security.caller import TenantId

_MAX_ALERTS = 100


class WatchingRule(msgspec.Struct, frozen=True):
    name: str
    severity: str
    conditions: list[Condition]


class RaisedAlert(msgspec.Struct, frozen=True):
    name: str | None
    severity: str
    conditions: list[Condition]
    first_seen: int
    cleared_at: int | None


@query(
    """SELECT name, severity, conditions FROM alert_rules
       WHERE organization_id = $1 AND enabled AND (asset_id = $2 OR asset_type_id = $3)
       ORDER BY id"""
)
async def watching_rules(
    db: Database, tenant: TenantId, asset_id: str, asset_type_id: str
) -> list[WatchingRule]: ...


# A rule may have been deleted: then the values of its alerts are unknown.
@query(
    f"""SELECT r.name, a.severity, coalesce(r.conditions, '[]'), a.first_seen, a.cleared_at
       FROM alerts a
       LEFT JOIN alert_rules r ON r.organization_id = $1 AND r.id = a.rule_id
       WHERE a.organization_id = $1 AND a.asset_id = $2 AND a.first_seen < $4
             AND coalesce(a.cleared_at, $4) > $3
       ORDER BY a.id DESC LIMIT {_MAX_ALERTS}"""
)
async def raised_alerts(
    db: Database, tenant: TenantId, asset_id: str, start: int, end: int
) -> list[RaisedAlert]:
    """The newest alerts that were open at some moment in between."""
