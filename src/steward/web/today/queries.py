"""Read as many rows as they show, however many there are: counts stop at a limit."""

from collections import defaultdict

import msgspec

from steward.assets import queries as assets
from steward.kit.db.partitions import first_id
from steward.kit.db.query import Database, Row, sql
from steward.kit.records.archiving import PRESENT
from steward.kit.security.caller import OwnOnly, TenantId
from steward.locations import queries as locations
from steward.users import queries as users
from steward.web.today.rules import AT_RISK_SECONDS, DaySpan, TodayParts
from steward.work_orders.queries import OVERDUE

# The parts of the page that list work orders, and those that list something else.
ORDERS = ("assigned", "requests", "urgent")
ENTRIES = ("alerts", "offline", "bookings", "expected", "on_site")
COUNTED = 500
# Literals: with a bound as a parameter, PostgreSQL assumes the worst and plans anew for each page.
OWN = 25
SHOWN = 8

# Subselects, which PostgreSQL doesn't look into: by its reckoning a plan for these very values saves more than it costs to
# make, and so it would make one for each page. It doesn't run a part whose gate is false.
_SOON, _USER = "(SELECT $2::bigint)", "(SELECT $3::text)"
_BEGINS, _ENDS, _BOOKER = "(SELECT $4::bigint)", "(SELECT $5::bigint)", "(SELECT $6::text)"
_IF = {part: f"(SELECT ${number}::boolean)" for number, part in enumerate(TodayParts.__struct_fields__, 7)}

_OPEN = "status IN ('Open', 'InProgress', 'OnHold')"
_DUE = "coalesce(sla_resolution_deadline, 9223372036854775807)"
# As its index has it: an order on hold doesn't become overdue, and one that is overdue is no longer at risk.
_AT_RISK = f"status IN ('Open', 'InProgress') AND sla_resolution_breached_at IS NULL AND sla_resolution_deadline <= {_SOON}"

_PLACE = locations.LOOKUP.name_of("o.location_id")
_ASSIGNEE = users.LOOKUP.name_of("o.assignee_id")

_ASSIGNED = f"{_IF['assigned']} AND assignee_id = {_USER} AND {_OPEN} ORDER BY {_DUE}, id LIMIT {OWN}"
_REQUESTS = f"{_IF['requests']} AND reported_by = {_USER} ORDER BY id DESC LIMIT {OWN}"
_IS_URGENT = f"{_OPEN} AND {_DUE} <= {_SOON} AND (status <> 'OnHold' OR {OVERDUE})"
_URGENT = f"{_IF['everything']} AND {_IS_URGENT} ORDER BY {_DUE}, id LIMIT {SHOWN}"


def _orders(part: str, condition: str) -> str:
    return f"""(SELECT '{part}', id, title, status, {_ASSIGNEE}, sla_resolution_deadline, sla_paused_since, priority,
                       number, {_PLACE}, NULL FROM work_orders o WHERE organization_id = $1 AND {condition})"""


def _count(part: str, table: str, condition: str) -> str:
    rows = f"SELECT 1 FROM {table} WHERE organization_id = $1 AND {condition} LIMIT {COUNTED}"
    return f"CASE WHEN {_IF[part]} THEN (SELECT count(*) FROM ({rows}) counted) ELSE 0 END"


# One statement for all, since each costs more than its rows.
_TODAY = sql(
    f"""SELECT 'counts' AS part, NULL::text AS id, NULL::text AS title, NULL::text AS detail, NULL::text AS person,
               NULL::bigint AS start, NULL::bigint AS until, NULL::text AS severity, NULL::bigint AS number,
               NULL::text AS place, ARRAY[
                   {_count("everything", "work_orders", _OPEN)},
                   {_count("everything", "work_orders", OVERDUE)},
                   {_count("everything", "work_orders", _AT_RISK)},
                   {_count("everything", "work_orders", f"{_OPEN} AND assignee_id IS NULL")},
                   {_count("devices", "assets", f"NOT connection_status AND {PRESENT}")},
                   {_count("devices", "alerts", "status <> 'Cleared'")}] AS counts
        WHERE {_IF["everything"]} OR {_IF["devices"]}
        UNION ALL {_orders("assigned", _ASSIGNED)}
        UNION ALL {_orders("requests", _REQUESTS)}
        UNION ALL {_orders("urgent", _URGENT)}
        UNION ALL
        (SELECT 'alerts', o.asset_id, {assets.LOOKUP.name_of("o.asset_id")}, o.status::text, NULL, o.first_seen, NULL,
                o.severity::text, NULL, NULL, NULL
         FROM alerts o WHERE organization_id = $1 AND {_IF["devices"]} AND status <> 'Cleared'
         ORDER BY o.severity, o.id DESC LIMIT {SHOWN})
        UNION ALL
        (SELECT 'offline', id, name, NULL, NULL, last_seen, NULL, NULL, NULL, NULL, NULL
         FROM assets WHERE organization_id = $1 AND {_IF["devices"]} AND NOT connection_status AND {PRESENT}
         ORDER BY id DESC LIMIT {SHOWN})
        UNION ALL
        (SELECT 'bookings', id, coalesce(title, resource_name), resource_name, {users.LOOKUP.name_of("o.booked_by")},
                start_time, end_time, NULL, NULL, NULL, NULL
         FROM bookings o
         WHERE organization_id = $1 AND {_IF["bookings"]} AND start_time >= {_BEGINS} AND start_time < {_ENDS}
           AND status IN ('Confirmed', 'CheckedIn') AND ({_BOOKER} IS NULL OR booked_by = {_BOOKER})
         ORDER BY start_time LIMIT {SHOWN})
        UNION ALL
        (SELECT 'expected', id, name, company, {users.LOOKUP.name_of("o.host_id")}, expected_arrival, NULL, NULL, NULL,
                NULL, NULL
         FROM visitors o
         WHERE organization_id = $1 AND {_IF["visitors"]} AND status = 'Registered' AND expected_arrival >= {_BEGINS} AND expected_arrival < {_ENDS}
         ORDER BY expected_arrival LIMIT {SHOWN})
        UNION ALL
        (SELECT 'on_site', id, name, NULL, NULL, checked_in_at, NULL, NULL, NULL, NULL, NULL
         FROM visitors WHERE organization_id = $1 AND {_IF["visitors"]} AND status = 'CheckedIn'
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
    title: str
    status: str
    assignee: str | None
    deadline: int | None
    paused_since: int | None
    priority: str
    number: int
    location: str | None


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


class TodayRows(msgspec.Struct, frozen=True):
    """By part of the page. The urgent orders are overdue or will be soon, the latest first."""

    orders: dict[str, list[TodayOrder]] = {}
    entries: dict[str, list[TodayEntry]] = {}
    # None: the viewer sees neither orders of everybody nor devices.
    counts: Counts | None = None


async def rows(
    db: Database,
    tenant: TenantId,
    parts: TodayParts,
    day: DaySpan,
    *,
    user: str,
    own: OwnOnly | None,
    now: int,
) -> TodayRows:
    """`own`: only the bookings of one person."""
    gates = msgspec.structs.astuple(parts)
    if not any(gates):
        return TodayRows()
    found: dict[str, list[Row]] = defaultdict(list)
    booker = None if own is None else own.user
    values = now + AT_RISK_SECONDS, user, day.start, day.end, booker, *gates
    for row in await db.fetch(_TODAY, tenant, *values):
        found[row[0]].append(row)
    return TodayRows(
        {part: [TodayOrder(*row[1:10]) for row in found[part]] for part in ORDERS},
        {part: [TodayEntry(*row[1:8]) for row in found[part]] for part in ENTRIES},
        next((Counts(*row[10]) for row in found["counts"]), None),
    )


async def flow(
    db: Database, tenant: TenantId, start: int, zone: str
) -> tuple[int, dict[int, int], dict[int, int]]:
    """How many orders are open, and how many were made and closed on each day since a midnight."""
    made = await db.fetch(_MADE_BY_DAY, tenant, start, zone, first_id("wo", start))
    closed = await db.fetch(_CLOSED_BY_DAY, tenant, start, zone)
    backlog = int(await db.fetchval(_BACKLOG, tenant))
    return backlog, {row[0]: row[1] for row in made}, {row[0]: row[1] for row in closed}
