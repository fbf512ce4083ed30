"""Devices that report three values each minute, stored as the intake stores them."""

import random
from collections.abc import Iterator

import asyncpg
import msgspec

from steward.asset_types.model import PropertyType, TelemetryProperty
from steward.kit.db.partitions import HOUR_SECONDS
from steward.kit.db.sharding import tenant_number
from steward.kit.domain.ids import new_id
from steward.kit.security.caller import SOME_TENANT
from steward.telemetry.series import layout, row

KEYS = ("Temperature", "Humidity", "CO2")
POINTS = len(KEYS)
_BATCH_SIZE = 1000
# What lies between measuring and storing. Readings that cross the end of an hour have to be merged into a folded one.
_MAX_LAG_SECONDS = 2

_TYPE = """INSERT INTO asset_types (organization_id, id, name, is_iot_device, keep_alive, properties, created, updated)
           VALUES ($1, 'aty_bench', 'Bench', true, 3600, $2::jsonb, 0, 0)"""
_ASSETS = """INSERT INTO assets (organization_id, id, name, asset_type_id, status, metadata, created, updated, search_text,
                                 search_grams, series, layout)
             SELECT $1, id, 'Bench', 'aty_bench', 'Normal', '{}', 0, 0, '', '{}', series, 1
             FROM unnest($2::text[], $3::integer[]) a (id, series)"""
_LAYOUT = "INSERT INTO telemetry_layouts (organization_id, layout, keys, digest) VALUES ($1, 1, $2, $3)"
# As in the intake's own statement.
_STORE = """INSERT INTO telemetry_recent (tenant, series, arrived, second, vals)
            SELECT $2, h.series, $1::integer, h.at - $1::integer * 3600::bigint, h.vals::double precision[]
            FROM unnest($3::integer[], $4::bigint[], $5::text[]) h (series, at, vals)"""


async def make_devices(connection: asyncpg.Connection, count: int) -> list[str]:
    """The identifiers of their assets; that of series n stands at n - 1."""
    ids, series = [new_id("ast") for _ in range(count)], list(range(1, count + 1))
    properties = [TelemetryProperty(key=key, name=key, type=PropertyType.FLOAT) for key in KEYS]
    await connection.execute(
        "INSERT INTO organizations (id, name, plan, created, updated) VALUES ($1, 'Bench', 'Enterprise', 0, 0)",
        SOME_TENANT,
    )
    await connection.execute(_TYPE, SOME_TENANT, msgspec.json.encode(properties).decode())
    await connection.execute(_ASSETS, SOME_TENANT, ids, series)
    await connection.execute(_LAYOUT, SOME_TENANT, list(KEYS), layout(KEYS).digest)
    return ids


async def report(connection: asyncpg.Connection, devices: int, begin: int, hours: int) -> int:
    """Each device once a minute, at a second of its own; returns how many readings there were."""
    stored = 0
    for second in range(begin, begin + hours * HOUR_SECONDS):
        batch = list(_readings(devices, second))
        for first in range(0, len(batch), _BATCH_SIZE):
            columns = zip(*batch[first : first + _BATCH_SIZE], strict=True)
            await connection.execute(
                _STORE, second // HOUR_SECONDS, tenant_number(SOME_TENANT), *map(list, columns)
            )
        stored += len(batch)
    return stored


def _readings(devices: int, second: int) -> Iterator[tuple[int, int, str]]:
    """Series, time and values of those whose turn it is."""
    known = layout(KEYS)
    for series in range(second % 60 + 1, devices + 1, 60):
        chance = random.Random(series << 32 | second)
        values = {
            "Temperature": round(chance.gauss(21, 2), 2),
            "Humidity": round(chance.uniform(30, 60), 1),
            "CO2": chance.randint(400, 1200),
        }
        yield series, second - chance.randint(0, _MAX_LAG_SECONDS), row(known, values)
