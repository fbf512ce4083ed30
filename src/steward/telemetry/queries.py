from collections.abc import Iterable, Mapping, Sequence

import msgspec

from steward.kit.db.advisory_locks import TELEMETRY_HISTORY
from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.partitions import DAY_SECONDS, HOUR_SECONDS, Partitioning, first_hour, register_partitions
from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, sql
from steward.kit.security.caller import TenantId
from steward.telemetry.model import LARGE, LARGE_MEASURE, Window
from steward.telemetry.series import SeriesLayout, layout

# Readings as they arrive; then the hours that they are folded into, which the fold drops by itself.
register_partitions(
    "telemetry_recent", Partitioning("arrived", first_hour, HOUR_SECONDS, ahead=48, name_format="%Y%m%d%H")
)
register_partitions(
    "telemetry_hours", Partitioning("hour", first_hour, 7 * DAY_SECONDS, ahead=2, name_format="%Y%m%d")
)

_BATCH = (
    "the readings of several tenants are written in one transaction, each row by its tenant and identifier"
)

_TRY_LOCK = sql("SELECT pg_try_advisory_lock($1::bigint)")
_HOURS_WITHOUT_PARTITION = sql("SELECT DISTINCT arrived FROM telemetry_recent_default ORDER BY arrived")
# Readings are read up to the hour after this one.
_ARRIVE_NOW = sql(
    "UPDATE telemetry_recent SET arrived = $1::integer WHERE arrived > $1::integer + 1",
    across="the clock was ahead for every tenant's devices",
)
_KEYS = sql(
    """SELECT l.layout, l.keys
       FROM unnest($1::text[], $2::integer[]) w (organization_id, layout)
       JOIN telemetry_layouts l ON l.organization_id = w.organization_id AND l.layout = w.layout""",
    across=_BATCH,
)
_PROPERTIES = sql(
    """SELECT t.organization_id, t.id, t.properties
       FROM unnest($1::text[], $2::text[]) w (organization_id, id)
       JOIN asset_types t ON t.organization_id = w.organization_id AND t.id = w.id""",
    across=_BATCH,
)
_SERIES_NUMBERS = sql(
    "SELECT nextval('telemetry_series_numbers')::integer FROM generate_series(1, $1::integer)"
)
_LAYOUT_NUMBERS = sql(
    "SELECT nextval('telemetry_layout_numbers')::integer FROM generate_series(1, $1::integer)"
)
_ADD_LAYOUTS = sql(
    """INSERT INTO telemetry_layouts AS t (organization_id, layout, keys, digest)
       SELECT w.organization_id, w.layout, ARRAY(SELECT jsonb_array_elements_text(w.keys::jsonb)), w.digest
       FROM unnest($1::text[], $2::integer[], $3::text[], $4::bytea[]) w (organization_id, layout, keys, digest)
       ON CONFLICT (organization_id, digest) DO NOTHING""",
    across=_BATCH,
)
_FIND_LAYOUTS = sql(
    """SELECT l.organization_id, l.digest, l.layout
       FROM unnest($1::text[], $2::bytea[]) w (organization_id, digest)
       JOIN telemetry_layouts l ON l.organization_id = w.organization_id AND l.digest = w.digest""",
    across=_BATCH,
)
_SET_SERIES = sql(
    """UPDATE assets AS a SET series = w.series, layout = w.layout
       FROM unnest($1::text[], $2::text[], $3::integer[], $4::integer[]) w (organization_id, asset_id, series, layout)
       WHERE a.organization_id = w.organization_id AND a.id = w.asset_id""",
    across=_BATCH,
)
_SERIES_OF_ASSET = sql(
    """SELECT a.series, coalesce(l.keys, '{}') AS keys, t.properties
       FROM assets a
       JOIN asset_types t ON t.organization_id = $1 AND t.id = a.asset_type_id
       LEFT JOIN telemetry_layouts l ON l.organization_id = $1 AND l.layout = a.layout
       WHERE a.organization_id = $1 AND a.id = $2"""
)

# What is folded holds a second once; what is fresh may hold it several times, and wins. Its partitions are cut by arrival:
# nothing has arrived in the hours to come, so that those are left out.
READ_HISTORY = sql(
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
       ORDER BY o.position, timestamp"""
)

# Of what stands in the same second, later arrivals win key by key, and all of them over what is stored. Within one hour of
# arrival, later means further on in the table; reading goes by the same order.
_MERGE_HOUR = sql(
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
       INSERT INTO telemetry_hours AS th (series, hour, arrived, times, vals)
       SELECT o.series, o.hour, $1::integer, array_agg(o.second ORDER BY o.second),
              array_agg(CASE WHEN cardinality(o.vals) = o.width THEN o.vals
                             ELSE o.vals || array_fill(NULL::double precision, ARRAY[o.width - cardinality(o.vals)])
                        END ORDER BY o.second)
       FROM once o GROUP BY o.series, o.hour
       ON CONFLICT (series, hour) DO UPDATE
       SET arrived = greatest(th.arrived, excluded.arrived), times = excluded.times, vals = excluded.vals"""
)
_NEXT_SERIES = sql(
    """SELECT r.series FROM telemetry_recent r
       WHERE r.arrived = $1::integer AND r.series >= $2::bigint
       ORDER BY r.series OFFSET $3::integer LIMIT 1"""
)

OwnedLayout = tuple[TenantId, SeriesLayout]


async def stored_layouts(tx: Database, wanted: Iterable[tuple[TenantId, int]]) -> dict[int, SeriesLayout]:
    rows = await tx.fetch(_KEYS, *map(list, zip(*wanted, strict=True)))
    return {row[0]: layout(row[1]) for row in rows}


async def type_layouts(
    tx: Database, wanted: set[tuple[TenantId, str]]
) -> Mapping[tuple[str, str], SeriesLayout]:
    if not wanted:
        return {}
    rows = await tx.fetch(_PROPERTIES, *map(list, zip(*wanted, strict=True)))
    return {(row[0], row[1]): layout(known["key"] for known in row[2]) for row in rows}


async def layout_numbers(tx: Database, wanted: set[OwnedLayout]) -> Mapping[OwnedLayout, int]:
    """Of layouts that may be new to their organization. In one order, so that no two wait for each other's."""
    owned = sorted(wanted, key=lambda one: (one[0], one[1].digest))
    tenants, digests = [tenant for tenant, _ in owned], [each.digest for _, each in owned]
    found = await _find_numbers(tx, tenants, digests)
    if len(found) < len(owned):
        fresh = [row[0] for row in await tx.fetch(_LAYOUT_NUMBERS, len(owned))]
        keys = [msgspec.json.encode(each.keys).decode() for _, each in owned]
        await tx.execute(_ADD_LAYOUTS, tenants, fresh, keys, digests)
        found = await _find_numbers(tx, tenants, digests)
    return {(tenant, each): found[tenant, each.digest] for tenant, each in owned}


async def new_series_numbers(tx: Database, count: int) -> list[int]:
    return [row[0] for row in await tx.fetch(_SERIES_NUMBERS, count)]


async def set_series(tx: Database, rows: Sequence[tuple[TenantId, str, int, int]]) -> None:
    """Rows of tenant, asset, series and layout."""
    await tx.execute(_SET_SERIES, *map(list, zip(*rows, strict=True)))


async def series_of_asset(db: Database, tenant: TenantId, asset_id: str) -> Row | None:
    """Its `series`, the `keys` that it has reported, and the `properties` of its type."""
    return await db.fetchrow(_SERIES_OF_ASSET, tenant, asset_id)


async def read_history(
    db: Database, series: int, positions: Sequence[int], window: Window, now: int
) -> list[Row]:
    """Rows of position and of what `rules.point_from_row` takes."""
    return await db.fetch(
        READ_HISTORY,
        series,
        positions,
        window.start,
        window.end,
        window.bucket_seconds,
        now // HOUR_SECONDS + 1,  # the database's clock, by which readings arrive, may be a little ahead
        window.start // HOUR_SECONDS,
        (window.end - 1) // HOUR_SECONDS,
    )


async def merge_hour(connection: DatabaseConnection, arrived: int, first: int, end: int) -> None:
    """What arrived in that hour for series from `first` up to, and without, `end`."""
    await connection.run(_MERGE_HOUR, arrived, first, end)


async def series_after(connection: DatabaseConnection, arrived: int, first: int, readings: int) -> int | None:
    """The series that so many readings from `first` on lead to; None where fewer are left."""
    found = await connection.run(_NEXT_SERIES, arrived, first, readings)
    return found[0][0] if found else None


async def _find_numbers(
    tx: Database, tenants: Sequence[str], digests: Sequence[bytes]
) -> Mapping[tuple[str, bytes], int]:
    return {(row[0], row[1]): row[2] for row in await tx.fetch(_FIND_LAYOUTS, tenants, digests)}


async def try_lock_history(connection: DatabaseConnection) -> bool:
    """Whether this connection may now fold and drop; the lock ends with it."""
    return bool((await connection.run(_TRY_LOCK, TELEMETRY_HISTORY))[0][0])


async def hours_without_partition(connection: DatabaseConnection) -> list[int]:
    return [row[0] for row in await connection.run(_HOURS_WITHOUT_PARTITION)]


async def arrive_now(db: Database, now: int) -> None:
    """Readings that arrived by a clock that was ahead would not be shown before: they arrived in this hour."""
    await db.execute(_ARRIVE_NOW, now // HOUR_SECONDS)
