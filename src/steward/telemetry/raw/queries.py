from collections.abc import Sequence

from steward.kit.db.partitions import HOUR_SECONDS
from steward.kit.db.query import Database, query, sql
from steward.kit.db.sharding import tenant_number
from steward.kit.security.caller import TenantId
from steward.telemetry.raw.model import RawSpan, Series, StoredReading

_SERIES = """SELECT a.id, a.series, l.keys FROM assets a
             JOIN telemetry_layouts l ON l.organization_id = $1 AND l.layout = a.layout
             WHERE a.organization_id = $1 AND a.series IS NOT NULL"""
# An asset whose newest reading is older than the span has none in it.
_NEXT_SERIES = sql(
    f"""{_SERIES} AND a.id >= $2 AND a.last_seen >= $3
        AND ($4::text[] IS NULL OR a.id = ANY ($4)) AND ($5::text IS NULL OR a.asset_type_id = $5)
        AND ($6::text[] IS NULL OR a.location_id = ANY ($6))
        ORDER BY a.id LIMIT $7"""
)
# The readings of whole seconds, so that the next query continues after the last of them. Future hours of
# arrival are empty and left out.
FRESH = sql(
    """SELECT w.at, w.vals FROM (
           SELECT r.arrived * 3600::bigint + r.second AS at, r.arrived, r.vals FROM telemetry_recent r
           WHERE r.tenant = $7::integer AND r.series = $1::integer AND r.arrived <= $4::integer AND r.arrived >= $5::integer
             AND r.arrived * 3600::bigint + r.second >= $2::bigint AND r.arrived * 3600::bigint + r.second < $3::bigint
             AND r.vals <> '{}'
           ORDER BY at FETCH FIRST $6 ROWS WITH TIES
       ) w ORDER BY w.at, w.arrived"""
)
# Hour by hour until there are enough readings; an hour is never split. Only their times are read here, which
# are small.
FOLDED = sql(
    """SELECT n.hour, n.times, n.vals FROM (
           SELECT h.hour, h.times, h.vals,
                  sum(cardinality(h.times)) OVER (ORDER BY h.hour) - cardinality(h.times) AS before
           FROM (SELECT th.hour, th.times, th.vals FROM telemetry_hours th
                 WHERE th.tenant = $7::integer AND th.series = $1::integer AND th.hour >= $2::integer AND th.hour <= $3::integer
                   AND coalesce(th.arrived, th.hour) >= $4::integer
                 ORDER BY th.hour LIMIT $5) h
       ) n WHERE n.before < $6 ORDER BY n.hour"""
)

# How much is read at once: hours of history, values in them, and recent readings.
HOURS_AT_ONCE = 168
VALUES_AT_ONCE = 20_000
FRESH_AT_ONCE = 2_000


@query(f"{_SERIES} AND a.id = $2")
async def series_of(db: Database, tenant: TenantId, asset_id: str) -> Series | None:
    """None if it has never reported."""


async def next_series(
    db: Database,
    tenant: TenantId,
    first: str,
    since: int,
    chosen: tuple[Sequence[str] | None, str | None, Sequence[str] | None],
    limit: int,
) -> list[Series]:
    """From an asset on, that one included; `chosen` are assets, a type and locations that narrow it."""
    rows = await db.fetch(_NEXT_SERIES, tenant, first, since, *chosen, limit)
    return [Series(*row) for row in rows]


async def fresh(
    db: Database, tenant: TenantId, series: int, span: RawSpan, now: int
) -> tuple[list[StoredReading], int]:
    """Recent readings, in order of arrival within a second; and up to when they are complete."""
    # The database's clock, which stamps arrivals, may be a little ahead.
    hours = (now // HOUR_SECONDS + 1, span.arrived or 0)
    rows = await db.fetch(FRESH, series, span.start, span.end, *hours, FRESH_AT_ONCE, tenant_number(tenant))
    end = span.end if len(rows) < FRESH_AT_ONCE else rows[-1][0] + 1
    return [StoredReading(row[0], row[1]) for row in rows], end


async def folded(
    db: Database, tenant: TenantId, series: Series, span: RawSpan
) -> tuple[list[StoredReading], int]:
    """Folded readings; and up to when they are complete."""
    hours = (span.start // HOUR_SECONDS, (span.end - 1) // HOUR_SECONDS, span.arrived or 0)
    enough = VALUES_AT_ONCE // max(1, len(series.keys))
    rows = await db.fetch(FOLDED, series.number, *hours, HOURS_AT_ONCE, enough, tenant_number(tenant))
    readings = [
        StoredReading(at, values)
        for hour, times, vals in rows
        for second, values in zip(times, vals, strict=True)
        if span.start <= (at := hour * HOUR_SECONDS + second) < span.end
    ]
    more = len(rows) == HOURS_AT_ONCE or sum(len(row[1]) for row in rows) >= enough
    return readings, min(span.end, (rows[-1][0] + 1) * HOUR_SECONDS) if more else span.end
