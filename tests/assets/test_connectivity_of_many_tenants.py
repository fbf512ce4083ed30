"""Devices of many tenants are checked together: as few transactions as for one tenant, and everything told in its own."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
from tests.assets.simulated_devices import START
from tests.support.databases import database_named, fetch_rows

from steward.assets.connectivity.jobs import check_connectivity
from steward.kit.db.pool import Pool, Transaction
from steward.wiring.schema import migrate

TENANTS = 300
KEEP_ALIVE = 600

# Everything is called the same in each tenant, so that what is taken from another one would be seen. The room lies in the
# tenant's own building; every second webhook follows the building of the tenant before it.
_MADE = (
    """INSERT INTO organizations (id, name, plan, created, updated)
       SELECT 'org_' || n, 'x', 'Enterprise', 1, 1 FROM generate_series(1, {tenants}) n""",
    """INSERT INTO locations (organization_id, id, name, type, created, updated, search_text, search_grams)
       SELECT 'org_' || n, 'loc_building_' || n, 'Building', 'Building', 1, 1, '', '{{}}' FROM generate_series(1, {tenants}) n""",
    """INSERT INTO locations (organization_id, id, name, type, parent_id, created, updated, search_text, search_grams)
       SELECT 'org_' || n, 'loc_room', 'Room', 'Room', 'loc_building_' || n, 1, 1, '', '{{}}'
       FROM generate_series(1, {tenants}) n""",
    """INSERT INTO asset_types (organization_id, id, name, is_iot_device, keep_alive, properties, created, updated,
                                applied_keep_alive, applied_iot_device)
       SELECT 'org_' || n, 'aty_1', 'Sensor', true, {keep_alive}, '[]', 1, 1, {keep_alive}, true FROM generate_series(1, {tenants}) n""",
    """INSERT INTO assets (organization_id, id, name, asset_type_id, location_id, status, connection_status, metadata, last_seen,
                           connectivity_due, created, updated, search_text, search_grams)
       SELECT 'org_' || n, 'ast_' || i, 'Sensor of ' || n, 'aty_1', 'loc_room', 'Normal', true, '{{}}', {start},
              {start} + {keep_alive} + 1, 1, 1, 'sensor', '{{}}'
       FROM generate_series(1, {tenants}) n, generate_series(1, 2) i""",
    """INSERT INTO webhooks (organization_id, id, url, events, types, status, secrets, secret_last_four, created_at, updated_at,
                             filter_mode, filter_criteria, filter_descends)
       SELECT 'org_' || n, 'whk_of_' || lpad(n::text, 14, '0'), 'https://example.com', '{{asset.status.changed}}',
              '{{asset.status.changed}}', 'active', '', 'abcd', 1, 1, 'include',
              jsonb_build_object('locationId', jsonb_build_array('loc_building_' || n - n % 2)), true
       FROM generate_series(1, {tenants}) n""",
)


class CountingPool(Pool):
    """Counts transactions, and statements by themselves."""

    count = 0

    async def fetch(self, sql: Any, *args: Any) -> list[Any]:
        self.count += 1
        return await super().fetch(sql, *args)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        self.count += 1
        async with super().transaction() as tx:
            yield tx


async def _fill(database_url: str, url: str) -> None:
    admin = await asyncpg.connect(database_url)
    await admin.execute("DROP DATABASE IF EXISTS devices_of_many")
    await admin.execute("CREATE DATABASE devices_of_many")
    await admin.close()
    await migrate(url)
    connection = await asyncpg.connect(url)
    for statement in _MADE:
        await connection.execute(statement.format(tenants=TENANTS, start=START, keep_alive=KEEP_ALIVE))
    await connection.close()


async def _drop(database_url: str) -> None:
    admin = await asyncpg.connect(database_url)
    await admin.execute("DROP DATABASE devices_of_many WITH (FORCE)")
    await admin.close()


@pytest.fixture
def url(database_url: str) -> Iterator[str]:
    url = database_named(database_url, "devices_of_many")
    asyncio.run(_fill(database_url, url))
    yield url
    asyncio.run(_drop(database_url))


async def _check(url: str, now: int, **more: int) -> tuple[int, CountingPool]:
    pool = CountingPool(url, 2)
    try:
        return await check_connectivity(pool, now, **more), pool
    finally:
        await pool.close()


def test_offline_events_of_many_tenants_are_written_together(url: str) -> None:
    now = START + KEEP_ALIVE + 1
    changed, pool = asyncio.run(_check(url, now, batch_size=100))
    assert changed == 2 * TENANTS
    # A look and a transaction for each batch, whosever devices are in it; one more look that finds nothing, one for the types.
    assert pool.count <= 2 * (2 * TENANTS // 100) + 2
    events = asyncio.run(
        fetch_rows(
            url, "SELECT organization_id, about, convert_from(body, 'UTF8')::jsonb -> 'data' FROM events"
        )
    )
    wanted = {(f"org_{n}", f"ast_{i}") for n in range(1, TENANTS + 1) for i in (1, 2)}
    assert len(events) == len(wanted)
    assert {(row[0], row[1]) for row in events} == wanted
    assert all(f'"Sensor of {row[0].removeprefix("org_")}"' in row[2] for row in events)
    assert asyncio.run(_check(url, now))[0] == 0


def test_the_location_of_a_device_is_read_in_its_own_tenant(url: str) -> None:
    asyncio.run(_check(url, START + KEEP_ALIVE + 1))
    rows = asyncio.run(
        fetch_rows(url, "SELECT d.organization_id, d.webhook_id, d.event_id FROM deliveries d")
    )
    heard = {row[0] for row in rows}
    assert heard == {f"org_{n}" for n in range(2, TENANTS + 1, 2)}
    assert len(rows) == 2 * len(heard)
    assert all(int(row[1].removeprefix("whk_of_")) == int(row[0].removeprefix("org_")) for row in rows)
    mismatched = """SELECT 1 FROM deliveries d LEFT JOIN events e ON e.organization_id = d.organization_id AND e.id = d.event_id
                    WHERE e.id IS NULL"""
    assert asyncio.run(fetch_rows(url, mismatched)) == []
