from steward.kit.db.pagination import SEARCH, Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.events import outbox
from steward.kit.events.event_types import Event
from steward.kit.security.caller import TenantId
from steward.work_orders.model import WorkOrder

WORK_ORDERS = Table("work_orders", WorkOrder, "work order", searched=("title", "description"))
LISTING = Listing(
    "work_orders",
    json_columns(WorkOrder),
    filters={
        "status": "status = {}",
        "priority": "priority = {}",
        "assignee_id": "assignee_id = {}",
        "location_id": "location_id = {}",
        "asset_id": "asset_id = {}",
        "updated_after": "updated > {}",
        "q": SEARCH,
    },
)

# Everything but the number, which the database counts.
_GIVEN = (*(field for field in WORK_ORDERS.fields if field != "number"), "search_text", "search_grams")
_PLACEHOLDERS = ", ".join(f"${position}" for position in range(2, len(_GIVEN) + 2))
# Number, order, events and deliveries are one statement and so one transaction: a number is never given away for nothing.
_INSERT = sql(
    f"""WITH counted AS (
            INSERT INTO counters AS c (organization_id, name, last) VALUES ($1, 'work order', 1)
            ON CONFLICT (organization_id, name) DO UPDATE SET last = c.last + 1
            RETURNING c.last
        ), change AS (
            INSERT INTO work_orders AS t (organization_id, number, {", ".join(_GIVEN)})
            SELECT $1, counted.last, {_PLACEHOLDERS} FROM counted
            RETURNING t.number
        ), {outbox.telling(len(_GIVEN) + 2)}
        SELECT number FROM change"""
)
_UNTOUCHED = sql(
    """SELECT NOT EXISTS (SELECT 1 FROM work_order_comments
                          WHERE organization_id = $1 AND work_order_id = $2)
          AND NOT EXISTS (SELECT 1 FROM events
                          WHERE organization_id = $1 AND about = $2 AND type <> 'workorder.created')"""
)


async def insert(db: Database, tenant: TenantId, order: WorkOrder, event: Event) -> int:
    """Stores the order, which has no number yet, and returns the one it got."""
    values = [getattr(order, field) for field in WORK_ORDERS.fields if field != "number"]
    told = outbox.parameters([event], order.created)
    return int(await db.fetchval(_INSERT, tenant, *values, *WORK_ORDERS.searchable(tenant, order), *told))


async def untouched(db: Database, tenant: TenantId, order_id: str) -> bool:
    """Whether nothing has happened since the order was made."""
    return bool(await db.fetchval(_UNTOUCHED, tenant, order_id))
