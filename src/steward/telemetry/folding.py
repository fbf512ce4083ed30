"""Folds what arrived in an hour into the hours that it tells of: one row with two arrays instead of a row per reading.

Merging twice what was merged before changes nothing, and who reads counts a second once wherever it stands. So a fold may
die at any moment: slices are merged one by one, and the readings go as a whole when all of them are.
"""

from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.partitions import HOUR_SECONDS, partition_name
from steward.kit.db.sql import sql

# Few enough to be sorted in memory and to hold up no other work of the database for long.
BATCH_SIZE = 200_000
_END = 2**31

# Of what stands in the same second, later arrivals win key by key, and all of them over what is stored. Within one hour of
# arrival, later means further on in the table; reading goes by the same order.
_MERGE = sql(
    """WITH fresh AS MATERIALIZED (
           SELECT r.series, (r.at / 3600)::integer AS hour, (r.at % 3600)::smallint AS second, r.ctid AS place, r.vals
           FROM telemetry_recent r
           WHERE r.arrived = $1::integer AND r.series >= $2::bigint AND r.series < $3::bigint AND r.vals <> '{}'
       ), stored AS (
           SELECT h.series, h.hour, t.second, NULL::tid AS place,
                  ARRAY(SELECT unnest(h.vals[t.n:t.n][:])) AS vals
           FROM (SELECT DISTINCT series, hour FROM fresh) f
           CROSS JOIN LATERAL (SELECT th.* FROM telemetry_hours th
                               WHERE th.series = f.series AND th.hour = f.hour LIMIT 1) h
           CROSS JOIN LATERAL unnest(h.times) WITH ORDINALITY t (second, n)
       ), versions AS (
           SELECT v.*, count(*) OVER (PARTITION BY v.series, v.hour, v.second) AS versions,
                  max(cardinality(v.vals)) OVER (PARTITION BY v.series, v.hour) AS width
           FROM (SELECT * FROM fresh UNION ALL SELECT * FROM stored) v
       ), latest AS (
           SELECT v.series, v.hour, v.second, v.width, p.position,
                  (array_agg(p.value ORDER BY v.place DESC NULLS LAST) FILTER (WHERE p.value IS NOT NULL))[1] AS value
           FROM versions v CROSS JOIN LATERAL unnest(v.vals) WITH ORDINALITY p (value, position)
           WHERE v.versions > 1
           GROUP BY v.series, v.hour, v.second, v.width, p.position
       ), once AS (
           SELECT v.series, v.hour, v.second, v.width, v.vals FROM versions v WHERE v.versions = 1
           UNION ALL
           SELECT l.series, l.hour, l.second, l.width, array_agg(l.value ORDER BY l.position)
           FROM latest l GROUP BY l.series, l.hour, l.second, l.width
       )
       INSERT INTO telemetry_hours AS th (series, hour, times, vals)
       SELECT o.series, o.hour, array_agg(o.second ORDER BY o.second),
              array_agg(CASE WHEN cardinality(o.vals) = o.width THEN o.vals
                             ELSE o.vals || array_fill(NULL::double precision, ARRAY[o.width - cardinality(o.vals)])
                        END ORDER BY o.second)
       FROM once o GROUP BY o.series, o.hour
       ON CONFLICT (series, hour) DO UPDATE SET times = excluded.times, vals = excluded.vals"""
)
_NEXT_SLICE = sql(
    """SELECT r.series FROM telemetry_recent r
       WHERE r.arrived = $1::integer AND r.series >= $2::bigint
       ORDER BY r.series OFFSET $3::integer LIMIT 1"""
)


async def fold_hour(
    writer: DatabaseConnection, guard: DatabaseConnection, arrived: int, batch_size: int = BATCH_SIZE
) -> None:
    """The partition of an hour of arrival that is over; `writer` is the only one that writes into the hours.

    A guard keeps late writers out of the partition until it is gone: what they bring goes to the default partition then.
    It holds nothing but that lock, so that the database can clear up behind everybody else meanwhile.
    """
    name = partition_name("telemetry_recent", arrived * HOUR_SECONDS)
    await writer.execute(f"ANALYZE {name}")
    async with guard.transaction():
        await guard.execute(f"LOCK TABLE {name} IN SHARE MODE")
        first = 0
        while first < _END:
            found = await writer.run(_NEXT_SLICE, arrived, first, batch_size)
            # A series is never cut in two, however much there is of it.
            end = max(found[0][0], first + 1) if found else _END
            await writer.run(_MERGE, arrived, first, end)
            first = end
        await guard.execute(f"DROP TABLE {name}")
