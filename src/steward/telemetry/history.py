"""Reads history. Readings that came a moment ago and those that are folded already look the same."""

from collections import defaultdict

import msgspec

from steward.asset_types.model import Property
from steward.assets.queries import ASSETS
from steward.kit.db.partitions import HOUR_SECONDS
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.caller import TenantId
from steward.telemetry.model import (
    LARGE,
    LARGE_MEASURE,
    History,
    HistoryQuery,
    Point,
    Window,
    asked_keys,
    described,
    point,
    window,
)

_ABOUT = sql(
    """SELECT a.series, coalesce(l.keys, '{}') AS keys, t.properties
       FROM assets a
       JOIN asset_types t ON t.organization_id = $1 AND t.id = a.asset_type_id
       LEFT JOIN telemetry_layouts l ON l.organization_id = $1 AND l.layout = a.layout
       WHERE a.organization_id = $1 AND a.id = $2"""
)

# What is folded holds a second once; what is fresh may hold it several times, and wins. Its partitions are cut by arrival:
# nothing has arrived in the hours to come, so that those are left out.
READ = sql(
    f"""WITH asked AS (
           SELECT a.position FROM unnest($2::integer[]) a (position)
       ), fresh AS MATERIALIZED (
           SELECT DISTINCT ON (a.position, r.at) a.position, r.at, r.vals[a.position] AS value
           FROM telemetry_recent r CROSS JOIN asked a
           WHERE r.series = $1::integer AND r.arrived <= $6::integer AND r.at >= $3::bigint AND r.at < $4::bigint
                 AND r.vals[a.position] IS NOT NULL
           ORDER BY a.position, r.at, r.arrived DESC, r.ctid DESC
       ), folded AS (
           SELECT a.position, h.hour * 3600::bigint + v.second AS at, v.value
           FROM telemetry_hours h CROSS JOIN asked a
           CROSS JOIN LATERAL unnest(h.times, h.vals[:][a.position:a.position]) v (second, value)
           WHERE h.series = $1::integer AND h.hour >= $7::integer AND h.hour <= $8::integer AND v.value IS NOT NULL
       ), once AS (
           SELECT f.position, f.at, f.value FROM fresh f
           UNION ALL
           SELECT o.position, o.at, o.value FROM folded o
           WHERE o.at >= $3::bigint AND o.at < $4::bigint
                 AND NOT EXISTS (SELECT 1 FROM fresh f WHERE f.position = o.position AND f.at = o.at)
       )
       SELECT o.position, min(o.at) AS timestamp, min(o.value) AS min, max(o.value) AS max,
              coalesce(sum(o.value) FILTER (WHERE abs(o.value) < {LARGE!r}), 0) AS total,
              coalesce(sum(o.value / {LARGE_MEASURE!r}) FILTER (WHERE abs(o.value) >= {LARGE!r}), 0) AS large,
              count(*) AS count
       FROM once o
       GROUP BY o.position, (o.at - $3::bigint) / $5::bigint
       ORDER BY o.position, timestamp"""  # noqa: S608
)


async def read(db: Database, tenant: TenantId, asset_id: str, query: HistoryQuery, now: int) -> History:
    window(query, now)
    about = await db.fetchrow(_ABOUT, tenant, asset_id)
    if about is None:
        raise ASSETS.missing()
    properties = msgspec.convert(about["properties"], list[Property])
    keys = asked_keys(query, properties, about["keys"])
    asked = window(query, now, len(set(keys).intersection(about["keys"])))
    by_key = {known.key: known for known in properties}
    found: dict[str, list[Point]] = {}
    if about["series"] is not None:
        found = await _points(db, about["series"], about["keys"], set(keys), asked, now)
    return History(
        asset_id=asset_id,
        from_=asked.start,
        to=asked.end,
        bucket_seconds=asked.bucket_seconds,
        series=[described(key, by_key.get(key), found.get(key, [])) for key in keys],
    )


async def _points(
    db: Database, series: int, known: list[str], keys: set[str], asked: Window, now: int
) -> dict[str, list[Point]]:
    """By key. Positions count from one, as PostgreSQL's arrays do."""
    positions = [number for number, key in enumerate(known, start=1) if key in keys]
    rows = await db.fetch(
        READ,
        series,
        positions,
        asked.start,
        asked.end,
        asked.bucket_seconds,
        now // HOUR_SECONDS + 1,  # the clock of whoever wrote may be a little ahead
        asked.start // HOUR_SECONDS,
        (asked.end - 1) // HOUR_SECONDS,
    )
    found: dict[str, list[Point]] = defaultdict(list)
    time_slice = TimeSlice()
    for row in rows:
        found[known[row[0] - 1]].append(point(row[1:]))
        if time_slice.expired:
            await time_slice.yield_control()
    return found
