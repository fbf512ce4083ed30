"""Figures for reports, counted in PostgreSQL over the orders of a span of time, which an index finds."""

from steward.kit.db.partitions import first_id
from steward.kit.db.query import Database, Row, Sql, query, sql
from steward.kit.security.caller import TenantId

_SECONDS = 20
# A month in the viewer's zone, as 2026-11.
_MONTH = "to_char(to_timestamp(completed_at) AT TIME ZONE $4, 'YYYY-MM')"


def _by(column: str, table: str, condition: str = "") -> Sql:
    """Identifiers sort by the time at which they were made."""
    return sql(
        f"""SELECT w.{column}, n.name, w.made, w.completed, w.late
        FROM (SELECT {column}, count(*) AS made, count(completed_at) AS completed,
                     count(sla_resolution_breached_at) AS late
              FROM work_orders
              WHERE organization_id = $1 AND id >= $2 AND id < $3{condition} GROUP BY 1
              ORDER BY 2 DESC LIMIT $4) w
        LEFT JOIN {table} n ON n.organization_id = $1 AND n.id = w.{column}
        ORDER BY w.made DESC, n.name""",
        seconds=_SECONDS,
    )


_BY_LOCATION = _by("location_id", "locations")
_BY_ASSET = _by("asset_id", "assets", " AND asset_id IS NOT NULL")


@query(
    f"""SELECT {_MONTH}, priority, count(*),
               count(*) FILTER (WHERE sla_response_breached_at IS NULL),
               count(*) FILTER (WHERE sla_resolution_breached_at IS NULL)
        FROM work_orders
        WHERE organization_id = $1 AND completed_at >= $2 AND completed_at < $3
          AND sla_resolution_deadline IS NOT NULL
        GROUP BY 1, 2 ORDER BY 1 DESC, 2""",
    seconds=_SECONDS,
)
async def sla(db: Database, tenant: TenantId, start: int, end: int, zone: str) -> list[Row]:
    """(month, priority, completed, responded in time, resolved in time)"""


@query(
    f"""SELECT {_MONTH}, count(*),
               avg(responded_at - created)::bigint,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY responded_at - created)::bigint,
               avg(completed_at - created - sla_paused_seconds)::bigint,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY completed_at - created - sla_paused_seconds)::bigint
        FROM work_orders
        WHERE organization_id = $1 AND completed_at >= $2 AND completed_at < $3
        GROUP BY 1 ORDER BY 1 DESC""",
    seconds=_SECONDS,
)
async def times(db: Database, tenant: TenantId, start: int, end: int, zone: str) -> list[Row]:
    """(month, completed, average and median to respond, average and median to repair)"""


@query(
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
async def backlog(db: Database, tenant: TenantId, now: int) -> list[Row]:
    """(priority, orders by age: a day, a week, a month, three months, older; average age)"""


async def by_location(db: Database, tenant: TenantId, start: int, end: int, most: int) -> list[Row]:
    """(location, name, created, completed, late), the most first"""
    return await db.fetch(_BY_LOCATION, tenant, first_id("wo", start), first_id("wo", end), most)


async def by_asset(db: Database, tenant: TenantId, start: int, end: int, most: int) -> list[Row]:
    """The same of assets."""
    return await db.fetch(_BY_ASSET, tenant, first_id("wo", start), first_id("wo", end), most)
