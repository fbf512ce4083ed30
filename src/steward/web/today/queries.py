"""Each reads as many rows as it shows, however many there are: counts stop at a limit."""

import msgspec

from steward.assets import queries as assets
from steward.kit.db.partitions import first_id
from steward.kit.db.query import Database, sql
from steward.kit.records.archiving import PRESENT
from steward.kit.security.caller import OwnOnly, TenantId
from steward.locations import queries as locations
from steward.users import queries as users
from steward.web.today.rules import AT_RISK_SECONDS, DaySpan, TodayParts
from steward.work_orders.queries import OVERDUE

COUNTED = 500
# Literals: with a bound as a parameter, PostgreSQL assumes the worst and plans anew for each page.
OWN = 25
SHOWN = 8

_OPEN = "status IN ('Open', 'InProgress', 'OnHold')"
_DUE = "coalesce(sla_resolution_deadline, 9223372036854775807)"
# As its index has it: an order on hold doesn't become overdue, and one that is overdue is no longer at risk.
_AT_RISK = "status IN ('Open', 'InProgress') AND sla_resolution_breached_at IS NULL AND sla_resolution_deadline <= $2"

_PLACE = locations.LOOKUP.name_of("o.location_id")
_ASSIGNEE = users.LOOKUP.name_of("o.assignee_id")


def _orders(part: str, condition: str) -> str:
    return f"""(SELECT '{part}', id, number, title, status, priority, sla_resolution_deadline, sla_paused_since,
                       {_PLACE}, {_ASSIGNEE} FROM work_orders o WHERE organization_id = $1 AND {condition})"""


# One statement each for orders, counts and the rest: a statement costs more than its rows. PostgreSQL doesn't run a part
# whose parameter is false.
_ASSIGNED = f"assignee_id = $3 AND {_OPEN} ORDER BY {_DUE}, id LIMIT {OWN}"
_REQUESTS = f"reported_by = $3 ORDER BY id DESC LIMIT {OWN}"
_IS_URGENT = f"{_OPEN} AND {_DUE} <= $2 AND (status <> 'OnHold' OR {OVERDUE})"
_URGENT = f"{_IS_URGENT} ORDER BY {_DUE}, id LIMIT {SHOWN}"
_ORDERS = sql(
    f"""{_orders("assigned", f"$4 AND {_ASSIGNED}")}
        UNION ALL {_orders("requests", f"$5 AND {_REQUESTS}")}
        UNION ALL {_orders("urgent", f"$6 AND {_URGENT}")}"""
)


def _count(gate: str, table: str, condition: str) -> str:
    rows = f"SELECT 1 FROM {table} WHERE organization_id = $1 AND {condition} LIMIT {COUNTED}"
    return f"CASE WHEN {gate} THEN (SELECT count(*) FROM ({rows}) counted) ELSE 0 END"


_COUNTS = sql(
    f"""SELECT {_count("$3", "work_orders", _OPEN)},
               {_count("$3", "work_orders", OVERDUE)},
               {_count("$3", "work_orders", _AT_RISK)},
               {_count("$3", "work_orders", f"{_OPEN} AND assignee_id IS NULL")},
               {_count("$4", "assets", f"NOT connection_status AND {PRESENT}")},
               {_count("$4", "alerts", "status <> 'Cleared'")}"""
)
_ENTRIES = sql(
    f"""(SELECT 'alerts' AS part, o.asset_id AS id, {assets.LOOKUP.name_of("o.asset_id")} AS title, o.status::text AS detail,
                NULL::text AS person, o.first_seen AS start, NULL::bigint AS until, o.severity::text AS severity
         FROM alerts o WHERE organization_id = $1 AND $2 AND status <> 'Cleared'
         ORDER BY o.severity, o.id DESC LIMIT {SHOWN})
        UNION ALL
        (SELECT 'offline', id, name, NULL, NULL, last_seen, NULL, NULL
         FROM assets WHERE organization_id = $1 AND $2 AND NOT connection_status AND {PRESENT}
         ORDER BY id DESC LIMIT {SHOWN})
        UNION ALL
        (SELECT 'bookings', id, coalesce(title, resource_name), resource_name, {users.LOOKUP.name_of("o.booked_by")},
                start_time, end_time, NULL
         FROM bookings o
         WHERE organization_id = $1 AND $3 AND start_time >= $4 AND start_time < $5
           AND status IN ('Confirmed', 'CheckedIn') AND ($6::text IS NULL OR booked_by = $6)
         ORDER BY start_time LIMIT {SHOWN})
        UNION ALL
        (SELECT 'expected', id, name, company, {users.LOOKUP.name_of("o.host_id")}, expected_arrival, NULL, NULL
         FROM visitors o
         WHERE organization_id = $1 AND $7 AND status = 'Registered' AND expected_arrival >= $4 AND expected_arrival < $5
         ORDER BY expected_arrival LIMIT {SHOWN})
        UNION ALL
        (SELECT 'on_site', id, name, NULL, NULL, checked_in_at, NULL, NULL
         FROM visitors WHERE organization_id = $1 AND $7 AND status = 'CheckedIn'
         ORDER BY checked_in_at DESC LIMIT {SHOWN})"""
)
# The number of a day since the first one, in the viewer's time zone.
_DAY = "(to_timestamp({}) AT TIME ZONE $3)::date - (to_timestamp($2::bigint) AT TIME ZONE $3)::date"
# The last change of a cancelled order is its cancellation.
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


class TodayOrder(msgspec.Struct, frozen=True):
    """A work order as a row of the page shows it."""

    id: str
    number: int
    title: str
    status: str
    priority: str
    deadline: int | None
    paused_since: int | None
    location: str | None
    assignee: str | None


class Counts(msgspec.Struct, frozen=True):
    """None is higher than `COUNTED`."""

    open: int
    overdue: int
    at_risk: int
    unassigned: int
    offline: int
    alerts: int


class TodayEntry(msgspec.Struct, frozen=True):
    """An alert, a device, a booking or a visitor as a row of the page shows it."""

    id: str
    title: str | None
    # The status of an alert, the resource of a booking, the company of a visitor.
    detail: str | None
    # Who booked, or whom a visitor sees.
    person: str | None
    start: int | None
    until: int | None
    severity: str | None


async def orders(
    db: Database, tenant: TenantId, user: str, parts: TodayParts, now: int
) -> dict[str, list[TodayOrder]]:
    """By part of the page; the urgent ones are overdue or will be soon, the latest first."""
    found: dict[str, list[TodayOrder]] = {"assigned": [], "requests": [], "urgent": []}
    if parts.assigned or parts.requests or parts.everything:
        due_until = now + AT_RISK_SECONDS
        gates = parts.assigned, parts.requests, parts.everything
        for part, *row in await db.fetch(_ORDERS, tenant, due_until, user, *gates):
            found[part].append(TodayOrder(*row))
    return found


async def counts(db: Database, tenant: TenantId, parts: TodayParts, now: int) -> Counts | None:
    if not parts.everything and not parts.devices:
        return None
    [row] = await db.fetch(_COUNTS, tenant, now + AT_RISK_SECONDS, parts.everything, parts.devices)
    return Counts(*row)


async def entries(
    db: Database, tenant: TenantId, parts: TodayParts, day: DaySpan, own: OwnOnly | None
) -> dict[str, list[TodayEntry]]:
    """By part of the page. `own`: only the bookings of one person."""
    shown = ("alerts", "offline", "bookings", "expected", "on_site")
    found: dict[str, list[TodayEntry]] = {part: [] for part in shown}
    if parts.devices or parts.bookings or parts.visitors:
        booker = None if own is None else own.user
        values = parts.devices, parts.bookings, day.start, day.end, booker, parts.visitors
        for part, *row in await db.fetch(_ENTRIES, tenant, *values):
            found[part].append(TodayEntry(*row))
    return found


async def flow(
    db: Database, tenant: TenantId, start: int, zone: str
) -> tuple[int, dict[int, int], dict[int, int]]:
    """How many orders are open, and how many were made and closed on each day since a midnight."""
    made = await db.fetch(_MADE_BY_DAY, tenant, start, zone, first_id("wo", start))
    closed = await db.fetch(_CLOSED_BY_DAY, tenant, start, zone)
    backlog = int(await db.fetchval(_BACKLOG, tenant))
    return backlog, {row[0]: row[1] for row in made}, {row[0]: row[1] for row in closed}
