"""Opens the work orders that alerts ask for: one for each alert, however often its reason is seen again."""

from collections.abc import Mapping
from typing import Any

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.domain.fields import Priority
from steward.kit.runtime.tenant_cache import TenantCache
from steward.kit.security.caller import Caller, TenantId
from steward.work_orders import actions as work_orders
from steward.work_orders.model import NewWorkOrder
from steward.work_orders.sla import queries as sla_queries

_BATCH_SIZE = 50

_TENANTS = sql(
    "SELECT DISTINCT organization_id FROM alerts WHERE wants IS NOT NULL",
    across="the worker opens the work orders of all tenants",
)
_LOCK = sql(
    """SELECT al.id, al.wants, al.asset_id, a.name, a.location_id
       FROM alerts al JOIN assets a ON a.organization_id = $1 AND a.id = al.asset_id
       WHERE al.organization_id = $1 AND al.wants IS NOT NULL
       ORDER BY al.id
       LIMIT $2
       FOR UPDATE OF al SKIP LOCKED"""
)
_OPENED = sql("UPDATE alerts SET work_order_id = $3, wants = NULL WHERE organization_id = $1 AND id = $2")

_policies = TenantCache(sla_queries.policy)


async def open_work_orders(db: Database, now: int) -> int:
    """Safe with several workers: each takes what no other holds."""
    opened = 0
    for (tenant,) in await db.fetch(_TENANTS):
        while some := await _open_some(db, tenant, now):
            opened += some
            if some < _BATCH_SIZE:
                break
    return opened


async def _open_some(db: Database, tenant: TenantId, now: int) -> int:
    nobody = Caller(tenant=tenant, plan="", permissions=frozenset())
    async with db.transaction() as tx:
        alerts = await tx.fetch(_LOCK, tenant, _BATCH_SIZE)
        for alert in alerts:
            order = await work_orders.create(_policies, tx, nobody, _order(alert), now=now)
            await tx.execute(_OPENED, tenant, alert["id"], order.id)
        return len(alerts)


def _order(alert: Mapping[str, Any]) -> NewWorkOrder:
    return NewWorkOrder(
        title=alert["wants"]["title"],
        description=f"Opened for alert {alert['id']} of {alert['name']}.",
        priority=Priority(alert["wants"]["priority"]),
        asset_id=alert["asset_id"],
        location_id=alert["location_id"],
    )
