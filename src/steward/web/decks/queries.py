"""One statement for all cards of a kind, however many there are on a deck; each card looks at as many rows as it shows.

Cards are numbered by their place in the arrays that they come in, and rows say which card they are for.
"""

from collections.abc import Sequence

from steward.alert_rules.model import Severity
from steward.decks.model import AlertSettings, BookingSettings, SlaSettings, StatusSettings, WorkOrderSettings
from steward.kit.db.query import Database, Row, query, sql
from steward.kit.records.archiving import PRESENT
from steward.kit.security.caller import TenantId
from steward.work_orders.queries import OVERDUE

ROWS = 12
ASSETS = 60
COUNTED = 1000

# The locations that the cards name, with everything that lies in them.
_PLACES = """places AS (
        SELECT w.n, w.location COLLATE "C" AS id FROM wanted w WHERE w.location IS NOT NULL
        UNION
        SELECT p.n, l.id FROM locations l JOIN places p ON l.parent_id = p.id WHERE l.organization_id = $1
    )"""
_HERE = "(w.location IS NULL OR {} IN (SELECT p.id FROM places p WHERE p.n = w.n))"
_DUE = "coalesce(o.sla_resolution_deadline, 9223372036854775807)"
_OPEN = "('Open', 'InProgress', 'OnHold')"

# The worst of those that were added last: a card that has more assets than this should name a smaller place.
_STATUS = sql(
    f"""WITH RECURSIVE wanted AS (
            SELECT w.* FROM unnest($2::integer[], $3::text[], $4::text[]) w (n, location, type)
        ), {_PLACES}
        SELECT w.n, s.*
        FROM wanted w CROSS JOIN LATERAL (
            SELECT f.*, count(*) OVER () FROM (
                SELECT a.id, a.name, a.status, a.connection_status FROM assets a
                WHERE a.organization_id = $1 AND a.{PRESENT} AND (w.type IS NULL OR a.asset_type_id = w.type) AND {_HERE.format("a.location_id")}
                ORDER BY a.id DESC LIMIT {COUNTED}
            ) f
            ORDER BY f.status = 'Critical' DESC, f.status = 'Warning' DESC, f.connection_status, f.name LIMIT {ASSETS}
        ) s"""
)
_ALERTS = sql(
    f"""SELECT w.n, s.* FROM unnest($2::integer[], $3::text[]) w (n, severity) CROSS JOIN LATERAL (
            SELECT al.asset_id, a.name, r.name, al.severity, al.status, al.first_seen
            FROM alerts al
            JOIN assets a ON a.organization_id = $1 AND a.id = al.asset_id
            LEFT JOIN alert_rules r ON r.organization_id = $1 AND r.id = al.rule_id
            WHERE al.organization_id = $1 AND al.status <> 'Cleared' AND al.severity = ANY (w.severity::text[])
            ORDER BY al.severity, al.id DESC LIMIT {ROWS}
        ) s"""
)
_ORDER_COUNTS = sql(
    f"""WITH RECURSIVE wanted AS (
            SELECT w.* FROM unnest($2::integer[], $3::text[]) w (n, location)
        ), {_PLACES}
        SELECT w.n, k.status, c.count
        FROM wanted w CROSS JOIN unnest(ARRAY['Open', 'InProgress', 'OnHold', 'Overdue']) k (status)
        CROSS JOIN LATERAL (SELECT count(*) FROM (
            SELECT 1 FROM work_orders
            WHERE organization_id = $1 AND {_HERE.format("location_id")}
              AND CASE WHEN k.status = 'Overdue' THEN {OVERDUE} ELSE status = k.status END
              AND status IN {_OPEN}
            LIMIT {COUNTED}) f) c"""
)
_ORDERS = sql(
    f"""WITH RECURSIVE wanted AS (
            SELECT w.* FROM unnest($2::integer[], $3::text[], $4::text[]) w (n, status, location)
        ), {_PLACES}
        SELECT w.n, s.* FROM wanted w CROSS JOIN LATERAL (
            SELECT o.id, o.number, o.title, o.priority, o.sla_resolution_deadline, o.sla_paused_since
            FROM work_orders o
            WHERE o.organization_id = $1 AND o.status IN {_OPEN} AND (w.status IS NULL OR o.status = w.status)
              AND {_HERE.format("o.location_id")}
            ORDER BY {_DUE}, o.id LIMIT {ROWS}
        ) s"""
)
# The formula of the report: of the orders with a deadline that were completed, those that met it.
_SLA = sql(
    """SELECT w.n, s.* FROM unnest($2::integer[], $3::bigint[], $4::text[]) w (n, since, priority)
       CROSS JOIN LATERAL (
           SELECT count(*), count(*) FILTER (WHERE sla_response_breached_at IS NULL),
                  count(*) FILTER (WHERE sla_resolution_breached_at IS NULL)
           FROM work_orders
           WHERE organization_id = $1 AND completed_at >= w.since AND sla_resolution_deadline IS NOT NULL
             AND (w.priority IS NULL OR priority = w.priority)
       ) s""",
    seconds=20,
)
_BOOKINGS = sql(
    f"""WITH RECURSIVE wanted AS (
            SELECT w.* FROM unnest($2::integer[], $3::bigint[], $4::text[]) w (n, until, location)
        ), {_PLACES}
        SELECT w.n, s.* FROM wanted w CROSS JOIN LATERAL (
            SELECT b.id, b.title, b.resource_name, b.start_time, b.end_time FROM bookings b
            WHERE b.organization_id = $1 AND b.start_time >= $5 AND b.start_time < w.until AND b.end_time > $6
              AND b.status IN ('Confirmed', 'CheckedIn') AND {_HERE.format("b.location_id")}
            ORDER BY b.start_time, b.id LIMIT {ROWS}
        ) s"""
)


@query(
    """SELECT a.id, a.name, a.last_telemetry, a.last_seen, a.connection_status, a.status, t.properties
       FROM assets a JOIN asset_types t ON t.organization_id = $1 AND t.id = a.asset_type_id
       WHERE a.organization_id = $1 AND a.id = ANY ($2::text[])"""
)
async def values(db: Database, tenant: TenantId, asset_ids: Sequence[str]) -> dict[str, Row]: ...


async def statuses(db: Database, tenant: TenantId, cards: Sequence[StatusSettings]) -> list[Row]:
    """(card, asset, name, status, connection, how many there are)"""
    places, types = [c.location_id for c in cards], [c.asset_type_id for c in cards]
    return await db.fetch(_STATUS, tenant, list(range(len(cards))), places, types)


async def alerts(db: Database, tenant: TenantId, cards: Sequence[AlertSettings]) -> list[Row]:
    """(card, asset, its name, the rule's name, severity, status, since)"""
    wanted = [f"{{{c.severity or ','.join(Severity)}}}" for c in cards]
    return await db.fetch(_ALERTS, tenant, list(range(len(cards))), wanted)


async def order_counts(db: Database, tenant: TenantId, cards: Sequence[WorkOrderSettings]) -> list[Row]:
    """(card, status or `Overdue`, how many, up to `COUNTED`)"""
    return await db.fetch(_ORDER_COUNTS, tenant, list(range(len(cards))), [c.location_id for c in cards])


async def orders(db: Database, tenant: TenantId, cards: Sequence[WorkOrderSettings]) -> list[Row]:
    """(card, id, number, title, priority, deadline, paused since), what is due first at the top."""
    states, places = [c.status for c in cards], [c.location_id for c in cards]
    return await db.fetch(_ORDERS, tenant, list(range(len(cards))), states, places)


async def sla(
    db: Database, tenant: TenantId, cards: Sequence[SlaSettings], since: Sequence[int]
) -> list[Row]:
    """(card, completed, responded in time, resolved in time)"""
    return await db.fetch(_SLA, tenant, list(range(len(cards))), since, [c.priority for c in cards])


async def bookings(
    db: Database,
    tenant: TenantId,
    cards: Sequence[BookingSettings],
    until: Sequence[int],
    *,
    midnight: int,
    now: int,
) -> list[Row]:
    """(card, id, title, resource, start, end) of what isn't over yet."""
    places = [c.location_id for c in cards]
    return await db.fetch(_BOOKINGS, tenant, list(range(len(cards))), until, places, midnight, now)
