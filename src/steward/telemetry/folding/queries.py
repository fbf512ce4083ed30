"""Folds the readings that arrived in an hour into the hours that they were measured in."""

from steward.kit.db.advisory_locks import TELEMETRY_HISTORY
from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.partitions import DAY_SECONDS, HOUR_SECONDS, Partitioning, first_hour, register_partitions
from steward.kit.db.query import query, sql
from steward.kit.db.sharding import all_or_each

# Readings as they arrive; then the hours that they are folded into, which the fold drops by itself.
register_partitions(
    "telemetry_recent", Partitioning("arrived", first_hour, HOUR_SECONDS, ahead=48, name_format="%Y%m%d%H")
)
register_partitions(
    "telemetry_hours", Partitioning("hour", first_hour, 7 * DAY_SECONDS, ahead=2, name_format="%Y%m%d")
)

_TENANTS_OF_HOUR = sql(
    "SELECT DISTINCT tenant FROM telemetry_recent WHERE arrived = $1::integer",
    across="the readings of an hour are folded for all tenants, one after the other",
)


async def tenants_of_hour(connection: DatabaseConnection, arrived: int) -> list[int | None]:
    """The tenants to fold one after the other; None for all of them together."""
    return await all_or_each(connection, _TENANTS_OF_HOUR, arrived)


# For the same second, readings that arrived in this hour replace stored ones key by key. A server with all
# tenants folds them together; a sharded one takes one tenant (`$4`) after the other.
@query(
    """WITH fresh AS MATERIALIZED (
           SELECT r.tenant, r.series, ((r.arrived * 3600::bigint + r.second) / 3600)::integer AS hour,
                  ((r.arrived * 3600::bigint + r.second) % 3600)::smallint AS second, true AS is_fresh, r.vals
           FROM telemetry_recent r
           WHERE r.arrived = $1::integer AND r.series >= $2::bigint AND r.series < $3::bigint AND r.vals <> '{}'
                 AND ($4::integer IS NULL OR r.tenant = $4::integer)
       ), stored AS (
           SELECT h.tenant, h.series, h.hour, t.second, false AS is_fresh,
                  ARRAY(SELECT unnest(h.vals[t.n:t.n][:])) AS vals
           FROM (SELECT DISTINCT tenant, series, hour FROM fresh) f
           CROSS JOIN LATERAL (SELECT th.* FROM telemetry_hours th
                               WHERE th.tenant = f.tenant AND th.series = f.series AND th.hour = f.hour
                                     AND ($4::integer IS NULL OR th.tenant = $4::integer) OFFSET 0) h
           CROSS JOIN LATERAL unnest(h.times) WITH ORDINALITY t (second, n)
       ), versions AS (
           SELECT v.*, count(*) OVER (PARTITION BY v.series, v.hour, v.second) AS versions,
                  max(cardinality(v.vals)) OVER (PARTITION BY v.series, v.hour) AS width
           FROM (SELECT * FROM fresh UNION ALL SELECT * FROM stored) v
       ), latest AS (
           SELECT v.tenant, v.series, v.hour, v.second, v.width, p.position,
                  (array_agg(p.value ORDER BY v.is_fresh DESC) FILTER (WHERE p.value IS NOT NULL))[1] AS value
           FROM versions v CROSS JOIN LATERAL unnest(v.vals) WITH ORDINALITY p (value, position)
           WHERE v.versions > 1
           GROUP BY v.tenant, v.series, v.hour, v.second, v.width, p.position
       ), once AS (
           SELECT v.tenant, v.series, v.hour, v.second, v.width, v.vals FROM versions v WHERE v.versions = 1
           UNION ALL
           SELECT l.tenant, l.series, l.hour, l.second, l.width, array_agg(l.value ORDER BY l.position)
           FROM latest l GROUP BY l.tenant, l.series, l.hour, l.second, l.width
       ), merged AS (
           INSERT INTO telemetry_hours AS th (tenant, series, hour, arrived, times, vals)
           SELECT o.tenant, o.series, o.hour, $1::integer, array_agg(o.second ORDER BY o.second),
                  array_agg(CASE WHEN cardinality(o.vals) = o.width THEN o.vals
                                 ELSE o.vals || array_fill(NULL::double precision, ARRAY[o.width - cardinality(o.vals)])
                            END ORDER BY o.second)
           FROM once o GROUP BY o.tenant, o.series, o.hour
           ON CONFLICT (tenant, series, hour) DO UPDATE
           SET arrived = greatest(th.arrived, excluded.arrived), times = excluded.times, vals = excluded.vals
           RETURNING th.series
       )
       SELECT 1""",
    across="the readings of an hour are folded for all tenants alike",
)
async def merge_hour(
    connection: DatabaseConnection, arrived: int, first: int, end: int, of: int | None
) -> None:
    """What arrived in that hour for series from `first` up to, and without, `end`."""


@query(
    """SELECT r.series FROM telemetry_recent r
       WHERE r.arrived = $1::integer AND r.series >= $2::bigint AND ($4::integer IS NULL OR r.tenant = $4::integer)
       ORDER BY r.series OFFSET $3::integer LIMIT 1""",
    across="the readings of an hour are folded for all tenants alike",
)
async def series_after(
    connection: DatabaseConnection, arrived: int, first: int, readings: int, of: int | None
) -> int | None:
    """The end of a range of series with so many readings from `first` on; None if fewer are left."""


@query(f"SELECT pg_try_advisory_lock({TELEMETRY_HISTORY}::bigint)")
async def try_lock_history(connection: DatabaseConnection) -> bool:
    """Whether this connection may now fold and drop; the lock ends with it."""


@query(
    "SELECT DISTINCT arrived FROM telemetry_recent_default ORDER BY arrived",
    across="housekeeping makes partitions, in which all tenants have their readings",
)
async def hours_without_partition(connection: DatabaseConnection) -> list[int]: ...
