"""Opens the work orders that alerts ask for: one for each alert, however often its condition is seen again."""

from functools import partial
from typing import Any

from msgspec.structs import replace

from steward.alert_rules.alerts.events import UPDATED, LocatedAlert
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Database
from steward.kit.domain.fields import Priority
from steward.kit.events.event_types import build_event
from steward.kit.jobs.drain import drain
from steward.kit.records.context import Context
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import Permission
from steward.work_orders import actions as work_orders
from steward.work_orders import queries
from steward.work_orders.model import NewWorkOrder
from steward.work_orders.sla import queries as sla_queries

_BATCH_SIZE = 50

_policies = TenantCache(sla_queries.policy)


async def open_work_orders(db: Database, now: int) -> int:
    """Safe with several workers: each takes rows that no other holds."""
    opened = 0
    for tenant in await queries.tenants_with_wanted_orders(db):
        opened += await drain(partial(_open_batch, db, tenant, now), batch_size=_BATCH_SIZE)
    return opened


async def _open_batch(db: Database, tenant: TenantId, now: int) -> int:
    writer = Caller(tenant=tenant, plan="", permissions=frozenset({Permission.WORK_ORDERS_WRITE}))
    async with Context(db, writer, now * 1000).transaction() as ctx:
        alerts = await queries.lock_alerts_wanting_orders(ctx.tx, tenant, _BATCH_SIZE)
        for alert, row in alerts:
            new = _order(alert, row["wants"], row["name"])
            order = await work_orders.create(_policies, ctx, new)
            linked = replace(alert, work_order_id=order.id)
            event = build_event(UPDATED, linked, tenant=tenant, now=now, old=alert)
            await queries.note_opened_order(ctx.tx, tenant, linked, event, now)
        return len(alerts)


def _order(alert: LocatedAlert, wants: dict[str, Any], asset_name: str) -> NewWorkOrder:
    return NewWorkOrder(
        title=wants["title"],
        description=f"Opened for alert {alert.id} of {asset_name}.",
        priority=Priority(wants["priority"]),
        asset_id=alert.asset_id,
        location_id=alert.location_id,
    )
