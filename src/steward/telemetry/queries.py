from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from operator import itemgetter
from typing import Any

import msgspec

from steward.kit.db.partitions import HOUR_SECONDS
from steward.kit.db.query import Database, Row, Transaction, lines, query, sql
from steward.kit.db.sharding import among, tenant_number, tenants_to_name
from steward.kit.security.caller import TenantId
from steward.telemetry.model import LARGE, LARGE_MEASURE, Window
from steward.telemetry.series import SeriesLayout, layout, written

_BATCH = (
    "the readings of several tenants are written in one transaction, each row by its tenant and identifier"
)

# Readings are read up to the hour after this one.
_ARRIVED_AHEAD = sql(
    "DELETE FROM telemetry_recent WHERE arrived > $1::integer + 1 RETURNING tenant, series, arrived, second, vals",
    across="the clock was ahead for every tenant's devices",
)
_KEYS = sql(
    f"""SELECT l.layout, l.keys
       FROM unnest($1::text[], $2::integer[]) w (organization_id, layout)
       JOIN telemetry_layouts l ON l.organization_id = w.organization_id AND l.layout = w.layout
       WHERE {among("l", 3)}""",
    across=_BATCH,
)
_PROPERTIES = sql(
    f"""SELECT t.organization_id, t.id, t.properties
       FROM unnest($1::text[], $2::text[]) w (organization_id, id)
       JOIN asset_types t ON t.organization_id = w.organization_id AND t.id = w.id
       WHERE {among("t", 3)}""",
    across=_BATCH,
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
    f"""SELECT l.organization_id, l.digest, l.layout
       FROM unnest($1::text[], $2::bytea[]) w (organization_id, digest)
       JOIN telemetry_layouts l ON l.organization_id = w.organization_id AND l.digest = w.digest
       WHERE {among("l", 3)}""",
    across=_BATCH,
)
_SET_SERIES = sql(
    f"""UPDATE assets AS a SET series = w.series, layout = w.layout
       FROM unnest($1::text[], $2::text[], $3::integer[], $4::integer[]) w (organization_id, asset_id, series, layout)
       WHERE a.organization_id = w.organization_id AND a.id = w.asset_id AND {among("a", 5)}""",
    across=_BATCH,
)

# The database's clock says when a reading arrived: so it is stored in the same hour as the others, whatever
# this machine's clock says, and shown at once.
RECORD = """INSERT INTO telemetry_recent AS tr (tenant, series, arrived, second, vals)
           SELECT h.tenant, h.series, n.hour, (h.at - n.hour * 3600::bigint)::integer, h.vals::double precision[]
           FROM unnest({}::integer[], {}::integer[], {}::bigint[], string_to_array({}, E'\n')) AS h (tenant, series, at, vals)
           CROSS JOIN (SELECT floor(extract(epoch FROM now()) / 3600)::integer AS hour) n"""
# For seconds that are stored already: for the same second, later arrivals win key by key. The lookup makes a
# row 1.4 times as expensive.
_RECORD_AGAIN = sql(
    f"""{RECORD.format("$1", "$2", "$3", "$4")}
        ON CONFLICT (series, arrived, second, tenant) DO UPDATE SET vals = later_values(tr.vals, excluded.vals)""",
    across=_BATCH,
)

# Folded history holds a second once; recent readings may hold it once for every hour of arrival, and win.
# Their partitions are cut by arrival: future hours are empty and left out.
READ_HISTORY = sql(
    f"""WITH asked AS (
           SELECT a.position FROM unnest($2::integer[]) a (position)
       ), fresh AS MATERIALIZED (
           SELECT DISTINCT ON (a.position, at) a.position, r.arrived * 3600::bigint + r.second AS at,
                  r.vals[a.position] AS value
           FROM telemetry_recent r CROSS JOIN asked a
           WHERE r.tenant = $9::integer AND r.series = $1::integer AND r.arrived <= $6::integer
                 AND r.arrived * 3600::bigint + r.second >= $3::bigint
                 AND r.arrived * 3600::bigint + r.second < $4::bigint
                 AND r.vals[a.position] IS NOT NULL
           ORDER BY a.position, at, r.arrived DESC
       ), folded AS (
           SELECT a.position, h.hour * 3600::bigint + v.second AS at, v.value
           FROM telemetry_hours h CROSS JOIN asked a
           CROSS JOIN LATERAL unnest(h.times, h.vals[:][a.position:a.position]) v (second, value)
           WHERE h.tenant = $9::integer AND h.series = $1::integer AND h.hour >= $7::integer AND h.hour <= $8::integer
                 AND v.value IS NOT NULL
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

OwnedLayout = tuple[TenantId, SeriesLayout]
# Rows of values as PostgreSQL writes an array, by the number of the tenant, series and time.
Rows = Mapping[tuple[int, int, int], str]


async def stored_layouts(tx: Database, wanted: Collection[tuple[TenantId, int]]) -> dict[int, SeriesLayout]:
    rows = await tx.fetch(_KEYS, *map(list, zip(*wanted, strict=True)), await _named(tx, wanted))
    return {row[0]: layout(row[1]) for row in rows}


async def type_layouts(
    tx: Database, wanted: set[tuple[TenantId, str]]
) -> Mapping[tuple[str, str], SeriesLayout]:
    if not wanted:
        return {}
    rows = await tx.fetch(_PROPERTIES, *map(list, zip(*wanted, strict=True)), await _named(tx, wanted))
    return {(row[0], row[1]): layout(known["key"] for known in row[2]) for row in rows}


async def layout_numbers(tx: Database, wanted: set[OwnedLayout]) -> Mapping[OwnedLayout, int]:
    """For layouts that may be new to their organization. In one order, to avoid deadlocks."""
    owned = sorted(wanted, key=lambda one: (one[0], one[1].digest))
    tenants, digests = [tenant for tenant, _ in owned], [each.digest for _, each in owned]
    found = await _find_numbers(tx, tenants, digests)
    if len(found) < len(owned):
        fresh = [row[0] for row in await tx.fetch(_LAYOUT_NUMBERS, len(owned))]
        keys = [msgspec.json.encode(each.keys).decode() for _, each in owned]
        await tx.execute(_ADD_LAYOUTS, tenants, fresh, keys, digests)
        found = await _find_numbers(tx, tenants, digests)
    return {(tenant, each): found[tenant, each.digest] for tenant, each in owned}


@query("SELECT nextval('telemetry_series_numbers')::integer FROM generate_series(1, $1::integer)")
async def new_series_numbers(tx: Database, count: int) -> list[int]: ...


async def set_series(tx: Database, rows: Sequence[tuple[TenantId, str, int, int]]) -> None:
    """Rows of tenant, asset, series and layout."""
    await tx.execute(_SET_SERIES, *map(list, zip(*rows, strict=True)), await _named(tx, rows))


@query(
    """SELECT a.series, coalesce(l.keys, '{}') AS keys, t.properties
       FROM assets a
       JOIN asset_types t ON t.organization_id = $1 AND t.id = a.asset_type_id
       LEFT JOIN telemetry_layouts l ON l.organization_id = $1 AND l.layout = a.layout
       WHERE a.organization_id = $1 AND a.id = $2"""
)
async def series_of_asset(db: Database, tenant: TenantId, asset_id: str) -> Row | None:
    """Its `series`, the `keys` that it has reported, and the `properties` of its type."""


async def read_history(
    db: Database, tenant: TenantId, series: int, positions: Sequence[int], window: Window, now: int
) -> list[Row]:
    """Rows of position and of the arguments of `rules.point_from_row`."""
    # The database's clock, which stamps arrivals, may be a little ahead.
    span = (window.start, window.end, window.bucket_seconds, now // HOUR_SECONDS + 1)
    hours = (window.start // HOUR_SECONDS, (window.end - 1) // HOUR_SECONDS)
    return await db.fetch(READ_HISTORY, series, positions, *span, *hours, tenant_number(tenant))


async def _named(tx: Database, rows: Iterable[Sequence[Any]]) -> list[str] | None:
    return await tenants_to_name(tx, (row[0] for row in rows))


async def _find_numbers(
    tx: Database, tenants: Sequence[str], digests: Sequence[bytes]
) -> Mapping[tuple[str, bytes], int]:
    named = await tenants_to_name(tx, tenants)
    return {(row[0], row[1]): row[2] for row in await tx.fetch(_FIND_LAYOUTS, tenants, digests, named)}


async def arrive_now(tx: Transaction, now: int) -> None:
    """Readings that arrived by a clock that was ahead would stay invisible: they arrived in this hour."""
    rows = await tx.fetch(_ARRIVED_AHEAD, now // HOUR_SECONDS)
    if rows:
        await record_again(tx, _latest(rows))


async def record_again(tx: Database, rows: Rows) -> None:
    """Readings that may be stored already, for the same second."""
    await tx.execute(_RECORD_AGAIN, *recorded_columns(rows))


def _latest(rows: Iterable[Row]) -> dict[tuple[int, int, int], str]:
    """By tenant, series and time; for the same second, the last to arrive."""
    merged: dict[tuple[int, int, int], list[float | None]] = {}
    for tenant, series, arrived, second, vals in sorted(rows, key=itemgetter("arrived")):
        key = (tenant, series, arrived * HOUR_SECONDS + second)
        known = merged.get(key, [])
        merged[key] = [one if one is not None else other for one, other in zip_longest(vals, known)]
    return {key: written(vals) for key, vals in merged.items()}


def recorded_columns(rows: Rows) -> tuple[Any, ...]:
    """The parameters of `RECORD`."""
    tenants, series, times = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    return (tenants, series, times, lines(rows.values()))
