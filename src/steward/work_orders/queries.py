from collections.abc import Sequence
from functools import partial
from typing import Any

from steward.alert_rules.alerts.events import LocatedAlert
from steward.alert_rules.alerts.queries import ALERTS
from steward.kit.db.listing import SEARCH, Bound, Filter, Listing, Sort
from steward.kit.db.lookup import Found, Lookup
from steward.kit.db.query import Database, Row, Transaction, query, sql
from steward.kit.db.references import report_broken_references
from steward.kit.db.sharding import one_or_several
from steward.kit.db.sql import lazy_sql
from steward.kit.db.table import Table
from steward.kit.events import outbox
from steward.kit.events.event_types import Event
from steward.kit.events.publish import publish, write_with_events
from steward.kit.security.caller import OwnOnly, TenantId
from steward.locations import queries as locations
from steward.work_orders.model import READS, WorkOrder

WORK_ORDERS = Table(
    "work_orders",
    WorkOrder,
    "work order",
    searched=("title", "description"),
    owner="reported_by",
    instead={"comment_count": "reporter_comment_count"},
)
_PRIORITY_RANK = (
    "(CASE priority WHEN 'Critical' THEN 4 WHEN 'High' THEN 3 WHEN 'Medium' THEN 2 ELSE 1 END)::bigint"
)
# The deadline has passed, and the order is neither completed nor cancelled.
OVERDUE = "(sla_resolution_breached_at IS NOT NULL AND status IN ('Open', 'InProgress', 'OnHold'))"

LISTING = Listing(
    WORK_ORDERS,
    filters={
        "number": Filter("number = {}", unique=True),
        "external_id": Filter("external_id = {}", unique=True),
        "asset_id": "asset_id = {}",
        "location_id": "location_id = {}",
        "within": locations.WITHIN,
        "assignee_id": "assignee_id = {}",
        "reported_by": "reported_by = {}",
        "overdue": Filter(f"{OVERDUE} AND {{}}", part=True),
        "priority": "priority = {}",
        "status": "status = {}",
        "unassigned": Filter("assignee_id IS NULL AND {}", bound=Bound("assignee_id", "IS NULL")),
        "assignee_or_nobody": Filter(
            "(assignee_id = ANY ({}::text[]) OR assignee_id IS NULL)", lambda _, given: (given,)
        ),
        "updated_after": "updated >= {}",
        "in_time": f"NOT {OVERDUE} AND {{}}",
        "q": SEARCH,
    },
    sorts={
        "slaResolutionDeadline": Sort(
            "coalesce(sla_resolution_deadline, 9223372036854775807)", indexed_with=("status",)
        ),
        "priority": Sort(_PRIORITY_RANK),
        "updated": Sort("updated"),
        "number": Sort("number", unique=True),
    },
    former_sorts={"due": "slaResolutionDeadline"},
)
LOOKUP = Lookup(
    "work-order",
    "work_orders",
    label="title",
    detail="'No. ' || number",
    path="/app/work-orders",
    permission=READS,
    owned=WORK_ORDERS,
)

# Everything but the number, which the database counts.
_GIVEN = (*(field for field in WORK_ORDERS.fields if field != "number"), "search_text", "search_grams")
_PLACEHOLDERS = ", ".join(f"${position}" for position in range(2, len(_GIVEN) + 2))
_COUNT_ONE = """INSERT INTO counters AS c (organization_id, name, last) VALUES ($1, 'work order', 1)
            ON CONFLICT (organization_id, name) DO UPDATE SET last = c.last + 1
            RETURNING c.last"""
# Number, order, events and deliveries are one statement and so one transaction: no number is lost.
_INSERT = lazy_sql(
    lambda: (
        f"""WITH counted AS (
            {_COUNT_ONE}
        ), change AS (
            INSERT INTO work_orders AS t (organization_id, number, {", ".join(_GIVEN)})
            SELECT $1, counted.last, {_PLACEHOLDERS} FROM counted
            RETURNING t.number
        ), {outbox.outbox_ctes(len(_GIVEN) + 2)}
        SELECT number FROM change"""
    )
)
# The same in separate statements, for a sharded database.
_COUNT = sql(_COUNT_ONE)
_INSERT_NUMBERED = sql(
    f"""INSERT INTO work_orders AS t (organization_id, {", ".join(_GIVEN)}, number)
        VALUES ($1, {_PLACEHOLDERS}, ${len(_GIVEN) + 2})"""
)
_BY_NUMBER = sql(
    """SELECT id, title, 'No. ' || number FROM work_orders
       WHERE organization_id = $1 AND number = $2 AND ($3::text IS NULL OR reported_by = $3)"""
)

_LOCK_ALERTS_WANTING_ORDERS = sql(
    f"""SELECT {", ".join(f"al.{column}" for column in ALERTS.columns)}, al.wants, a.name, a.location_id, a.asset_type_id
        FROM alerts al JOIN assets a ON a.organization_id = $1 AND a.id = al.asset_id
        WHERE al.organization_id = $1 AND al.wants IS NOT NULL
        ORDER BY al.id
        LIMIT $2
        FOR UPDATE OF al SKIP LOCKED"""
)
# The order for this alert exists already.
_NOTE_OPENED_ORDER = ALERTS.update(("work_order_id", "wants"))


async def insert(db: Database, tenant: TenantId, order: WorkOrder, event: Event) -> int:
    """Stores the order, which has no number yet, and returns its number."""
    columns = {field: getattr(order, field) for field in WORK_ORDERS.fields if field != "number"}
    values = (*columns.values(), *WORK_ORDERS.searchable(tenant, order))
    storing = one_or_several(
        db,
        lambda: db.fetchval(_INSERT(), tenant, *values, *outbox.parameters([event], order.created)),
        partial(_insert_apart, tenant, values, event, order.created),
    )
    return int(await report_broken_references(storing, db, WORK_ORDERS.name, tenant, columns))


async def _insert_apart(
    tenant: TenantId, values: Sequence[Any], event: Event, now: int, tx: Transaction
) -> int:
    await publish(tx, tenant, [event], now)
    # Last, since all other creations of the organization wait for the counter until this is committed.
    number: int = await tx.fetchval(_COUNT, tenant)
    await tx.execute(_INSERT_NUMBERED, tenant, *values, number)
    return number


async def by_number(db: Database, tenant: TenantId, number: int, own: OwnOnly | None) -> Found | None:
    row = await db.fetchrow(_BY_NUMBER, tenant, number, None if own is None else own.user)
    return None if row is None else Found(*row)


@query(
    """SELECT NOT EXISTS (SELECT 1 FROM work_order_comments
                          WHERE organization_id = $1 AND work_order_id = $2)
          AND NOT EXISTS (SELECT 1 FROM events
                          WHERE organization_id = $1 AND about = $2 AND type <> 'workorder.created')"""
)
async def untouched(db: Database, tenant: TenantId, order_id: str) -> bool:
    """Whether nothing has happened since the order was created."""


@query(
    "SELECT DISTINCT organization_id FROM alerts WHERE wants IS NOT NULL",
    across="the worker opens the work orders of all tenants",
)
async def tenants_with_wanted_orders(db: Database) -> list[TenantId]: ...


async def lock_alerts_wanting_orders(
    tx: Database, tenant: TenantId, most: int
) -> list[tuple[LocatedAlert, Row]]:
    """Alerts that ask for a work order, each with what it `wants` and the `name` of its asset; without those that another
    worker is busy with."""
    rows = await tx.fetch(_LOCK_ALERTS_WANTING_ORDERS, tenant, most)
    return [(_located_alert(row), row) for row in rows]


def _located_alert(row: Row) -> LocatedAlert:
    alert = ALERTS.load(row[: len(ALERTS.columns)])
    return LocatedAlert.of(alert, location_id=row["location_id"], asset_type_id=row["asset_type_id"])


async def note_opened_order(
    tx: Database, tenant: TenantId, alert: LocatedAlert, event: Event, now: int
) -> None:
    """`event` names the order."""
    values = [alert.id, alert.work_order_id, None]
    await write_with_events(tx, tenant, _NOTE_OPENED_ORDER, values, [event], now)
