from steward.kit.caller import TenantId
from steward.kit.db import Database
from steward.kit.page import Listing, json_columns
from steward.kit.sql import sql
from steward.kit.table import Table
from steward.work_orders.model import WorkOrder

WORK_ORDERS = Table("work_orders", WorkOrder, "work order")
LISTING = Listing("work_orders", json_columns(WorkOrder), filters={"status": "status = {}"})

# The number and the order are one statement and so one transaction: a number is never given away for nothing.
_INSERT = sql(
    """WITH counted AS (
           INSERT INTO counters AS c (organization_id, name, last) VALUES ($1, 'work order', 1)
           ON CONFLICT (organization_id, name) DO UPDATE SET last = c.last + 1
           RETURNING c.last
       ), made AS (
           INSERT INTO work_orders AS w (organization_id, id, number, title, description, status, priority,
                                         assignee_id, reported_by, created, updated)
           SELECT $1, $2, counted.last, $3, $4, $5, $6, $7, $8, $9, $9 FROM counted
           RETURNING w.number
       )
       SELECT number FROM made"""
)


async def insert(db: Database, tenant: TenantId, order: WorkOrder) -> int:
    """Stores the order and returns the number it got."""
    return int(
        await db.fetchval(
            _INSERT,
            tenant,
            order.id,
            order.title,
            order.description,
            order.status,
            order.priority,
            order.assignee_id,
            order.reported_by,
            order.created,
        )
    )
