from collections.abc import Sequence
from typing import Any

import msgspec

from steward.alert_rules.model import Condition
from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, sql
from steward.kit.security.caller import TenantId

_MAX_ALERTS = 100

_RULES = sql(
    """SELECT name, severity, conditions FROM alert_rules
       WHERE organization_id = $1 AND enabled AND (asset_id = $2 OR asset_type_id = $3)
       ORDER BY id"""
)
# A rule may have been deleted: then the values of its alerts are unknown.
_ALERTS = sql(
    """SELECT r.name, a.severity, r.conditions, a.first_seen, a.cleared_at
       FROM alerts a
       LEFT JOIN alert_rules r ON r.organization_id = $1 AND r.id = a.rule_id
       WHERE a.organization_id = $1 AND a.asset_id = $2 AND a.first_seen < $4
             AND coalesce(a.cleared_at, $4) > $3
       ORDER BY a.id DESC LIMIT $5"""
)


class WatchingRule(msgspec.Struct, frozen=True):
    name: str
    severity: str
    conditions: Sequence[Condition]


class RaisedAlert(msgspec.Struct, frozen=True):
    name: str | None
    severity: str
    conditions: Sequence[Condition]
    first_seen: int
    cleared_at: int | None


async def watching_rules(
    db: Database, tenant: TenantId, asset_id: str, asset_type_id: str
) -> list[WatchingRule]:
    rows = await db.fetch(_RULES, tenant, asset_id, asset_type_id)
    return [WatchingRule(row[0], row[1], _conditions(row[2])) for row in rows]


async def raised_alerts(
    db: Database, tenant: TenantId, asset_id: str, start: int, end: int
) -> list[RaisedAlert]:
    """The newest alerts that were open at some moment in between."""
    rows: list[Row] = await db.fetch(_ALERTS, tenant, asset_id, start, end, _MAX_ALERTS)
    return [RaisedAlert(row[0], row[1], _conditions(row[2]), row[3], row[4]) for row in rows]


def _conditions(stored: Any) -> list[Condition]:
    return msgspec.convert(stored or [], list[Condition])
