"""Tenants with work orders, devices and a webhook each, made by SQL, with the indexes built afterwards."""

import asyncpg
import msgspec

from bench.connectivity.devices import KEEP_ALIVE
from bench.delivery.running import KEY
from bench.delivery.tenants import TYPE
from bench.tenants import Tenant, make_founders
from steward.assets.events import STATUS_CHANGED
from steward.kit.db import search
from steward.kit.db.partitions import DAY_SECONDS, make_partition, partition_start
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption
from steward.webhooks.signing import Secret, new_secret, seal_secrets

# Those whom requests and deliveries are for, on either side.
BUSY = 10
_KEPT_DAYS = 30
_ORDERS_OF_OTHERS = 10
# Different enough for the search index to be as large as it would be, and few enough to be computed here.
_NAMES = 200

_ORGANIZATIONS = """INSERT INTO organizations (id, name, plan, created, updated)
                    SELECT id, 'Bench', 'Enterprise', 0, 0 FROM unnest($1::text[]) id"""
_TYPES = """INSERT INTO asset_types (organization_id, id, name, is_iot_device, keep_alive, properties, created, updated,
                                     applied_keep_alive, applied_iot_device)
            SELECT id, 'aty_sensor', 'Climate sensor', true, $2::integer, '[]', 0, 0, $2, true FROM unnest($1::text[]) id"""
_NAMED = """CREATE TEMPORARY TABLE named (organization_id text COLLATE "C", number integer, name text, folded text,
                                          grams bigint[])"""
_DEVICES = """INSERT INTO assets (organization_id, id, name, external_id, asset_type_id, status, connection_status, metadata,
                                  last_telemetry, last_seen, connectivity_due, created, updated, search_text, search_grams)
              SELECT organization_id, 'ast_' || lpad(to_hex(n), 28, '0'), name, 'BMS-' || n, 'aty_sensor', 'Normal', true, '{}',
                     '{"Temperature": 21.4}', $3::bigint, $3::bigint + $4, 0, 0, folded, grams
              FROM generate_series(0, $1::integer - 1) n JOIN named ON named.number = n % $2"""
# Over a year; one in ten is open, and none has missed its deadline.
_ORDERS = """INSERT INTO work_orders (organization_id, id, number, title, description, status, priority, created, updated,
                                      completed_at, sla_resolution_deadline, search_text, search_grams)
             SELECT organization_id, 'wo_' || lpad(to_hex(at * 1000000), 14, '0') || lpad(to_hex(n), 14, '0'), n, name,
                    'Found on the morning round.', CASE WHEN n % 10 = 0 THEN 'Open' ELSE 'Completed' END,
                    (ARRAY['Low', 'Medium', 'High', 'Critical'])[1 + n % 4], at, at, CASE WHEN n % 10 > 0 THEN at END,
                    $3::bigint + 31536000, folded, grams
             FROM generate_series(1, $1::integer) n JOIN named ON named.number = n % $2,
                  LATERAL (SELECT $3::bigint - 31536000 + n::bigint * 31536000 / $1 AS at) moment
             WHERE organization_id = ANY ($4::text[])"""
_COUNTERS = """INSERT INTO counters (organization_id, name, last) SELECT id, 'work order', $2::bigint FROM unnest($1::text[]) id
               ON CONFLICT (organization_id, name) DO UPDATE SET last = excluded.last"""
_OTHER_INDEXES = """SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
                    FROM pg_index i
                    WHERE i.indrelid IN ('assets'::regclass, 'work_orders'::regclass)
                      AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)"""


class Size(msgspec.Struct, frozen=True):
    """So many tenants, and so many work orders of each that is busy. Others have a few; all have so many devices in all."""

    tenants: int
    orders_each: int
    devices: int

    @property
    def name(self) -> str:
        return f"scale_{self.tenants}_{self.orders_each}"

    @property
    def devices_each(self) -> int:
        return max(1, self.devices // self.tenants)


def device_id(number: int) -> str:
    """As the statement above makes it, of the devices of one tenant."""
    return f"ast_{number:028x}"


async def fill(url: str, size: Size, endpoint: str) -> tuple[list[Tenant], list[str]]:
    """Those who are busy, with their keys; and all of them."""
    busy = await make_founders(url, min(BUSY, size.tenants))
    others = [f"org_scale_{number:06}" for number in range(size.tenants - len(busy))]
    tenants = [*(tenant.id for tenant in busy), *others]
    connection = await asyncpg.connect(url, command_timeout=3600)
    await connection.execute(_ORGANIZATIONS, others)
    await connection.execute(_TYPES, tenants, KEEP_ALIVE)
    await _make_webhooks(connection, tenants, endpoint)
    indexes = await connection.fetch(_OTHER_INDEXES)
    for name, _ in indexes:
        await connection.execute(f"DROP INDEX {name}")
    await _make_rows(connection, size, [tenant.id for tenant in busy], others)
    await connection.execute("SET maintenance_work_mem = '512MB'")
    for _, definition in indexes:
        await connection.execute(definition)
    await _make_days(connection)
    await connection.execute("VACUUM (ANALYZE)")
    await connection.execute("CHECKPOINT")
    await connection.close()
    return busy, tenants


async def _make_webhooks(connection: asyncpg.Connection, tenants: list[str], endpoint: str) -> None:
    encryption, types = Encryption(KEY), [TYPE, STATUS_CHANGED.name]
    columns = [
        "organization_id",
        "id",
        "url",
        "events",
        "types",
        "status",
        "secrets",
        "secret_last_four",
        "created_at",
        "updated_at",
    ]
    rows = [
        (
            tenant,
            f"whk_{number:028x}",
            f"{endpoint}/{number % 100}",
            types,
            types,
            "active",
            sealed,
            "abcd",
            0,
            0,
        )
        for number, tenant in enumerate(tenants)
        for sealed in (seal_secrets(encryption, [Secret(new_secret())]),)
    ]
    await connection.copy_records_to_table("webhooks", columns=columns, records=rows)


async def _make_rows(connection: asyncpg.Connection, size: Size, busy: list[str], others: list[str]) -> None:
    now = clock.now()
    names = min(_NAMES, size.devices_each)
    await connection.execute(_NAMED)
    rows = []
    for tenant in (*busy, *others):
        for number in range(names):
            texts = (f"Air handler {number} is noisy", f"BMS-{number}")
            grams = search.grams(TenantId(tenant), *texts)
            rows.append((tenant, number, texts[0], search.text(*texts), grams))
    await connection.copy_records_to_table("named", records=rows)
    await connection.execute("ANALYZE named")
    await connection.execute(_DEVICES, size.devices_each, names, now, KEEP_ALIVE + 1)
    for tenants, each in ((busy, size.orders_each), (others, _ORDERS_OF_OTHERS)):
        await connection.execute(_ORDERS, each, names, now, tenants)
        await connection.execute(_COUNTERS, tenants, each)


async def _make_days(connection: asyncpg.Connection) -> None:
    """The partitions that a deployment has after a month."""
    for table in ("events", "deliveries", "delivery_attempts"):
        today = partition_start(table, clock.now())
        for day in range(1, _KEPT_DAYS + 1):
            await make_partition(connection, table, today - day * DAY_SECONDS)
