"""Each looks at as many rows as it shows, however many there are: counts end where nobody would read on."""

import msgspec

from steward.alert_rules.alerts.model import Alert
from steward.alert_rules.alerts.queries import ALERTS
from steward.bookings.model import Booking
from steward.bookings.queries import BOOKINGS
from steward.kit.db.partitions import first_id
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.records.archiving import PRESENT
from steward.kit.security.caller import OwnOnly, TenantId
from steward.visitors.model import Visitor
from steward.visitors.queries import VISITORS
from steward.work_orders.model import WorkOrder
from steward.work_orders.queries import OVERDUE, WORK_ORDERS

COUNTED = 500
# Written into the statements: of a bound that it learns later PostgreSQL thinks the worst, and plans anew for each page.
OWN = 25
SHOWN = 8

_OPEN = "status IN ('Open', 'InProgress', 'OnHold')"
_DUE = "coalesce(sla_resolution_deadline, 9223372036854775807)"
_ORDERS = f"SELECT {', '.join(WORK_ORDERS.fields)} FROM work_orders WHERE organization_id = $1"
# Written as in its index: what is on hold doesn't get late, and what is late isn't at risk any more.
_AT_RISK = "status IN ('Open', 'InProgress') AND sla_resolution_breached_at IS NULL AND sla_resolution_deadline <= $2"

_ASSIGNED = sql(f"{_ORDERS} AND assignee_id = $2 AND {_OPEN} ORDER BY {_DUE}, id LIMIT {OWN}")
_REPORTED = sql(f"{_ORDERS} AND reported_by = $2 ORDER BY id DESC LIMIT {OWN}")
_URGENT = sql(
    f"""{_ORDERS} AND {_OPEN} AND {_DUE} <= $2 AND (status <> 'OnHold' OR {OVERDUE})
        ORDER BY {_DUE}, id LIMIT {SHOWN}"""
)
_COUNTS = sql(
    f"""SELECT (SELECT count(*) FROM (SELECT 1 FROM work_orders
                    WHERE organization_id = $1 AND {_OPEN} LIMIT {COUNTED}) a),
               (SELECT count(*) FROM (SELECT 1 FROM work_orders
                    WHERE organization_id = $1 AND {OVERDUE} LIMIT {COUNTED}) b),
               (SELECT count(*) FROM (SELECT 1 FROM work_orders
                    WHERE organization_id = $1 AND {_AT_RISK} LIMIT {COUNTED}) c),
               (SELECT count(*) FROM (SELECT 1 FROM work_orders
                    WHERE organization_id = $1 AND {_OPEN} AND assignee_id IS NULL LIMIT {COUNTED}) d)"""
)
_DEVICES = sql(
    f"""SELECT (SELECT count(*) FROM (SELECT 1 FROM assets
                    WHERE organization_id = $1 AND NOT connection_status AND {PRESENT} LIMIT {COUNTED}) a),
               (SELECT count(*) FROM (SELECT 1 FROM alerts
                    WHERE organization_id = $1 AND status <> 'Cleared' LIMIT {COUNTED}) b)"""
)
_OFFLINE = sql(
    f"""SELECT id, name, last_seen FROM assets WHERE organization_id = $1 AND NOT connection_status AND {PRESENT}
        ORDER BY id DESC LIMIT {SHOWN}"""
)
_OPEN_ALERTS = sql(
    f"""SELECT {", ".join(ALERTS.fields)} FROM alerts WHERE organization_id = $1 AND status <> 'Cleared'
        ORDER BY severity, id DESC LIMIT {SHOWN}"""
)
_BOOKINGS = sql(
    f"""SELECT {", ".join(BOOKINGS.fields)} FROM bookings
        WHERE organization_id = $1 AND start_time >= $2 AND start_time < $3 AND status IN ('Confirmed', 'CheckedIn')
          AND ($4::text IS NULL OR booked_by = $4)
        ORDER BY start_time LIMIT {SHOWN}"""
)
_EXPECTED = sql(
    f"""SELECT {", ".join(VISITORS.fields)} FROM visitors
        WHERE organization_id = $1 AND status = 'Registered' AND expected_arrival >= $2 AND expected_arrival < $3
        ORDER BY expected_arrival LIMIT {SHOWN}"""
)
_ON_SITE = sql(
    f"""SELECT {", ".join(VISITORS.fields)} FROM visitors
        WHERE organization_id = $1 AND status = 'CheckedIn' ORDER BY checked_in_at DESC LIMIT {SHOWN}"""
)
# The number of a day since the first one, by the calendar of whoever asks.
_DAY = "(to_timestamp({}) AT TIME ZONE $3)::date - (to_timestamp($2::bigint) AT TIME ZONE $3)::date"
# Orders that are cancelled keep the moment of their last change, which is that of the cancellation.
_MADE_BY_DAY = sql(
    f"""SELECT {_DAY.format("created")}, count(*) FROM work_orders
        WHERE organization_id = $1 AND id >= $4 AND created >= $2 GROUP BY 1"""
)
_CLOSED_BY_DAY = sql(
    f"""SELECT {_DAY.format("coalesce(completed_at, updated)")}, count(*) FROM work_orders
        WHERE organization_id = $1 AND updated >= $2 AND status IN ('Completed', 'Cancelled')
          AND coalesce(completed_at, updated) >= $2
        GROUP BY 1"""
)
_BACKLOG = sql(f"SELECT count(*) FROM work_orders WHERE organization_id = $1 AND {_OPEN}")


class OrderCounts(msgspec.Struct, frozen=True):
    open: int
    overdue: int
    at_risk: int
    unassigned: int


async def assigned(db: Database, tenant: TenantId, user: str) -> list[WorkOrder]:
    return [WORK_ORDERS.load(row) for row in await db.fetch(_ASSIGNED, tenant, user)]


async def reported(db: Database, tenant: TenantId, user: str) -> list[WorkOrder]:
    return [WORK_ORDERS.load(row) for row in await db.fetch(_REPORTED, tenant, user)]


async def urgent(db: Database, tenant: TenantId, due_until: int) -> list[WorkOrder]:
    """What is overdue or will be soon, the latest first."""
    return [WORK_ORDERS.load(row) for row in await db.fetch(_URGENT, tenant, due_until)]


async def order_counts(db: Database, tenant: TenantId, due_until: int) -> OrderCounts:
    [row] = await db.fetch(_COUNTS, tenant, due_until)
    return OrderCounts(*row)


async def device_counts(db: Database, tenant: TenantId) -> tuple[int, int]:
    """How many devices are offline, and how many alerts are open."""
    [row] = await db.fetch(_DEVICES, tenant)
    return row[0], row[1]


async def offline(db: Database, tenant: TenantId) -> list[tuple[str, str, int | None]]:
    return [tuple(row) for row in await db.fetch(_OFFLINE, tenant)]


async def open_alerts(db: Database, tenant: TenantId) -> list[Alert]:
    return [ALERTS.load(row) for row in await db.fetch(_OPEN_ALERTS, tenant)]


async def bookings(
    db: Database, tenant: TenantId, start: int, end: int, own: OwnOnly | None
) -> list[Booking]:
    """Of everybody; of one person, where somebody is kept to their own."""
    rows = await db.fetch(_BOOKINGS, tenant, start, end, None if own is None else own.user)
    return [BOOKINGS.load(row) for row in rows]


async def expected(db: Database, tenant: TenantId, start: int, end: int) -> list[Visitor]:
    return [VISITORS.load(row) for row in await db.fetch(_EXPECTED, tenant, start, end)]


async def on_site(db: Database, tenant: TenantId) -> list[Visitor]:
    return [VISITORS.load(row) for row in await db.fetch(_ON_SITE, tenant)]


async def flow(
    db: Database, tenant: TenantId, start: int, zone: str
) -> tuple[int, dict[int, int], dict[int, int]]:
    """How many orders are open, and how many were made and closed on each day since a midnight."""
    made = await db.fetch(_MADE_BY_DAY, tenant, start, zone, first_id("wo", start))
    closed = await db.fetch(_CLOSED_BY_DAY, tenant, start, zone)
    backlog = int(await db.fetchval(_BACKLOG, tenant))
    return backlog, {row[0]: row[1] for row in made}, {row[0]: row[1] for row in closed}
