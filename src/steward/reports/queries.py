"""Each statement goes over the rows of a span of time, found by an index, and counts them in PostgreSQL."""

from steward.kit.db.partitions import first_id
from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, sql
from steward.kit.security.caller import TenantId
from steward.reports.model import ReportSpan

_SECONDS = 20
MOST_ROWS = 1000
MOST_CHANGES = 50_000

# A month in the zone of whoever asks, as 2026-11.
_MONTH = "to_char(to_timestamp({}) AT TIME ZONE $4, 'YYYY-MM')"
_DAY = "to_char(to_timestamp({}) AT TIME ZONE $4, 'YYYY-MM-DD')"

_SLA = sql(
    f"""SELECT {_MONTH.format("completed_at")}, priority, count(*),
               count(*) FILTER (WHERE sla_response_breached_at IS NULL),
               count(*) FILTER (WHERE sla_resolution_breached_at IS NULL)
        FROM work_orders
        WHERE organization_id = $1 AND completed_at >= $2 AND completed_at < $3
          AND sla_resolution_deadline IS NOT NULL
        GROUP BY 1, 2 ORDER BY 1 DESC, 2""",
    seconds=_SECONDS,
)
_TIMES = sql(
    f"""SELECT {_MONTH.format("completed_at")}, count(*),
               avg(responded_at - created)::bigint,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY responded_at - created)::bigint,
               avg(completed_at - created - sla_paused_seconds)::bigint,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY completed_at - created - sla_paused_seconds)::bigint
        FROM work_orders
        WHERE organization_id = $1 AND completed_at >= $2 AND completed_at < $3
        GROUP BY 1 ORDER BY 1 DESC""",
    seconds=_SECONDS,
)
_BACKLOG = sql(
    """SELECT priority,
              count(*) FILTER (WHERE created > $2 - 86400),
              count(*) FILTER (WHERE created <= $2 - 86400 AND created > $2 - 7 * 86400),
              count(*) FILTER (WHERE created <= $2 - 7 * 86400 AND created > $2 - 30 * 86400),
              count(*) FILTER (WHERE created <= $2 - 30 * 86400 AND created > $2 - 90 * 86400),
              count(*) FILTER (WHERE created <= $2 - 90 * 86400),
              avg($2 - created)::bigint
       FROM work_orders
       WHERE organization_id = $1 AND status IN ('Open', 'InProgress', 'OnHold')
       GROUP BY 1""",
    seconds=_SECONDS,
)
# Identifiers sort by the time at which they were made.
_BY_LOCATION = sql(
    f"""SELECT w.location_id, l.name, w.made, w.completed, w.late
        FROM (SELECT location_id, count(*) AS made, count(completed_at) AS completed,
                     count(sla_resolution_breached_at) AS late
              FROM work_orders
              WHERE organization_id = $1 AND id >= $2 AND id < $3 GROUP BY 1
              ORDER BY 2 DESC LIMIT {MOST_ROWS}) w
        LEFT JOIN locations l ON l.organization_id = $1 AND l.id = w.location_id
        ORDER BY w.made DESC, l.name""",
    seconds=_SECONDS,
)
_BY_ASSET = sql(
    f"""SELECT w.asset_id, a.name, w.made, w.completed, w.late
        FROM (SELECT asset_id, count(*) AS made, count(completed_at) AS completed,
                     count(sla_resolution_breached_at) AS late
              FROM work_orders
              WHERE organization_id = $1 AND id >= $2 AND id < $3 AND asset_id IS NOT NULL GROUP BY 1
              ORDER BY 2 DESC LIMIT {MOST_ROWS}) w
        LEFT JOIN assets a ON a.organization_id = $1 AND a.id = w.asset_id
        ORDER BY w.made DESC, a.name""",
    seconds=_SECONDS,
)
_BOOKINGS = sql(
    f"""SELECT b.resource_id, max(b.resource_name),
               count(*) FILTER (WHERE b.status <> 'Cancelled'),
               coalesce(sum(least(b.end_time, $3) - greatest(b.start_time, $2))
                   FILTER (WHERE b.status IN ('Confirmed', 'CheckedIn')), 0)::bigint,
               count(*) FILTER (WHERE b.status = 'NoShow'),
               count(*) FILTER (WHERE b.status = 'Cancelled')
        FROM bookings b
        WHERE b.organization_id = $1 AND b.start_time >= $2 AND b.start_time < $3
        GROUP BY 1 ORDER BY 4 DESC LIMIT {MOST_ROWS}""",
    seconds=_SECONDS,
)
_VISITORS = sql(
    f"""SELECT {_DAY.format("checked_in_at")}, count(*),
               count(*) FILTER (WHERE checked_out_at IS NOT NULL),
               avg(checked_out_at - checked_in_at)::bigint
        FROM visitors
        WHERE organization_id = $1 AND checked_in_at >= $2 AND checked_in_at < $3
        GROUP BY 1 ORDER BY 1 DESC""",
    seconds=_SECONDS,
)
_DEVICES = sql(
    f"""SELECT a.id, a.name, a.connection_status, a.created FROM assets a
        WHERE a.organization_id = $1 AND a.connection_status IS NOT NULL ORDER BY a.id DESC LIMIT {MOST_ROWS}"""
)
# One more than may be counted, so that nobody is shown figures in which something is missing.
_CONNECTION_CHANGES = sql(
    f"""SELECT about, created, told -> 'data' -> 'object' ->> 'connectionStatus'
        FROM (SELECT about, created, id, convert_from(body, 'UTF8')::jsonb AS told FROM events
              WHERE organization_id = $1 AND type = 'asset.status.changed' AND id >= $2) e
        WHERE told -> 'data' -> 'previousAttributes' ? 'connectionStatus'
        ORDER BY id LIMIT {MOST_CHANGES + 1}""",
    seconds=_SECONDS,
)


async def sla(db: Database, tenant: TenantId, span: ReportSpan) -> list[Row]:
    """(month, priority, completed, responded in time, resolved in time)"""
    return await db.fetch(_SLA, tenant, span.start, span.end, span.zone_name)


async def times(db: Database, tenant: TenantId, span: ReportSpan) -> list[Row]:
    """(month, completed, average and median to respond, average and median to repair)"""
    return await db.fetch(_TIMES, tenant, span.start, span.end, span.zone_name)


async def backlog(db: Database, tenant: TenantId, now: int) -> list[Row]:
    """(priority, orders by age: a day, a week, a month, three months, older; average age)"""
    return await db.fetch(_BACKLOG, tenant, now)


async def by_location(db: Database, tenant: TenantId, span: ReportSpan) -> list[Row]:
    return await db.fetch(_BY_LOCATION, tenant, first_id("wo", span.start), first_id("wo", span.end))


async def by_asset(db: Database, tenant: TenantId, span: ReportSpan) -> list[Row]:
    return await db.fetch(_BY_ASSET, tenant, first_id("wo", span.start), first_id("wo", span.end))


async def bookings(db: Database, tenant: TenantId, span: ReportSpan) -> list[Row]:
    """(resource, name, bookings, seconds booked, no-shows, cancelled)"""
    return await db.fetch(_BOOKINGS, tenant, span.start, span.end)


async def visitors(db: Database, tenant: TenantId, span: ReportSpan) -> list[Row]:
    """(day, came, of those gone, average stay)"""
    return await db.fetch(_VISITORS, tenant, span.start, span.end, span.zone_name)


async def devices(db: Database, tenant: TenantId) -> list[Row]:
    return await db.fetch(_DEVICES, tenant)


async def connection_changes(db: Database, tenant: TenantId, since: int) -> list[Row]:
    """(device, when, `true` or `false`), in order, until now."""
    return await db.fetch(_CONNECTION_CHANGES, tenant, first_id("evt", since))
