"""Tenants with devices that all report, made by SQL, with the indexes built afterwards."""

import asyncpg

from steward.kit.db import search
from steward.kit.security.caller import TenantId

TENANTS = 20
KEEP_ALIVE = 600
# Different enough for the search index to be as large as it would be, and few enough to be computed here.
_NAMES = 500

_TENANT = (
    "INSERT INTO organizations (id, name, plan, created, updated) VALUES ($1, 'Bench', 'Enterprise', 0, 0)"
)
_TYPE = """INSERT INTO asset_types (organization_id, id, name, is_iot_device, keep_alive, properties, created, updated,
                                    applied_keep_alive, applied_iot_device)
           VALUES ($1, 'aty_sensor', 'Climate sensor', true, $2, '[]', 0, 0, $2, true)"""
_WEBHOOK = """INSERT INTO webhooks (organization_id, id, url, events, types, status, secrets, secret_last_four, created_at,
                                    updated_at)
              VALUES ($1, 'whk_bench_of_one_tenant_only_', 'https://example.com', $2, $2, 'active', '', 'abcd', 0, 0)"""
_NAMED = "CREATE TEMPORARY TABLE named (number integer PRIMARY KEY, name text, folded text, grams bigint[])"
_ASSETS = """INSERT INTO assets (organization_id, id, name, external_id, asset_type_id, status, connection_status, metadata,
                                 last_telemetry, last_seen, connectivity_due, created, updated, search_text, search_grams)
             SELECT $1, 'ast_' || lpad(to_hex(n), 28, '0'), named.name, 'BMS-' || n, 'aty_sensor', 'Normal', true,
                    '{"manufacturer": "Milesight", "model": "EM300-TH", "serialNumber": "6136A02D"}',
                    '{"Temperature": 21.4, "Humidity": 48.5, "CO2": 612}', $4::bigint, $4::bigint + $5, 0, 0,
                    named.folded, named.grams
             FROM generate_series(0, $2::integer - 1) n JOIN named ON named.number = n % $3"""
_OTHER_INDEXES = """SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
                    FROM pg_index i WHERE i.indrelid = 'assets'::regclass AND NOT i.indisprimary"""


def tenant(number: int) -> TenantId:
    return TenantId(f"org_bench_{number:02}")


def device_id(number: int) -> str:
    """As the statement above makes it, of the devices of one tenant."""
    return f"ast_{number:028x}"


async def make_devices(connection: asyncpg.Connection, devices: int, now: int) -> None:
    """So many in all, each connected and not yet due."""
    indexes = await connection.fetch(_OTHER_INDEXES)
    for name, _ in indexes:
        await connection.execute(f"DROP INDEX {name}")
    await connection.execute(_NAMED)
    for number in range(TENANTS):
        await _make_tenant(connection, tenant(number), devices // TENANTS, now)
    await connection.execute("SET maintenance_work_mem = '512MB'")
    for _, definition in indexes:
        await connection.execute(definition)
    await connection.execute("VACUUM (ANALYZE)")
    await connection.execute("CHECKPOINT")


async def _make_tenant(connection: asyncpg.Connection, tenant: TenantId, devices: int, now: int) -> None:
    await connection.execute(_TENANT, tenant)
    await connection.execute(_TYPE, tenant, KEEP_ALIVE)
    await connection.execute(_WEBHOOK, tenant, ["asset.status.changed"])
    await connection.execute("TRUNCATE named")
    rows = []
    for number in range(_NAMES):
        texts = (f"Climate sensor {number}", f"BMS-{number}", "6136A02D")
        rows.append((number, texts[0], search.text(*texts), search.grams(tenant, *texts)))
    await connection.copy_records_to_table("named", records=rows)
    await connection.execute(_ASSETS, tenant, devices, _NAMES, now, KEEP_ALIVE + 1)
