"""The check costs what changes, not what is there: PostgreSQL's own count of pages read, among 50,000 devices."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest
from tests.assets.simulated_devices import START
from tests.support.servers import drop_database, make_database, own_name

from steward.assets.connectivity import queries

pytestmark = pytest.mark.usefixtures("one_server")

_DEVICES = 50_000
_FILL = """INSERT INTO assets (organization_id, id, name, asset_type_id, status, connection_status, metadata, last_seen,
                               connectivity_due, created, updated, search_text, search_grams)
           SELECT 'org_large', 'ast_' || lpad(n::text, 28, '0'), 'Sensor', 'aty_1', 'Normal', true, '{}', $2::bigint,
                  $2::bigint + n, 1, 1, 'sensor', '{}'
           FROM generate_series(1, $1::int) n"""


async def _fill(database_url: str) -> str:
    url = await make_database(database_url, own_name("devices"), migrated=True)
    connection = await asyncpg.connect(url)
    await connection.execute("INSERT INTO organizations VALUES ('org_large', 'x', 'Enterprise', 1, 1)")
    await connection.execute(
        """INSERT INTO asset_types (organization_id, id, name, is_iot_device, keep_alive, properties, created, updated,
                                    applied_keep_alive, applied_iot_device)
           SELECT 'org_large', 'aty_' || n, n, true, 600, '[]', 1, 1, 600, true FROM generate_series(1, 5000) n"""
    )
    await connection.execute(_FILL, _DEVICES, START)
    await connection.execute("VACUUM (ANALYZE) assets, asset_types")
    await connection.close()
    return url


@pytest.fixture(scope="module")
def devices_url(database_url: str) -> Iterator[str]:
    yield asyncio.run(_fill(database_url))
    asyncio.run(drop_database(database_url, own_name("devices")))


@pytest.fixture
async def devices(devices_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(devices_url)
    yield connection
    await connection.close()


async def pages_read(connection: asyncpg.Connection, statement: str, *args: object) -> int:
    """By a connection that has run the statement before; the first time reads the catalogue as well."""
    await connection.fetch(statement, *args)
    explained = await connection.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", *args)
    plan = json.loads(explained)[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


async def test_finding_nothing_due_reads_an_index_only(devices: asyncpg.Connection) -> None:
    for _ in range(10):  # also with the plan that PostgreSQL settles on for good
        assert await pages_read(devices, queries._DUE, START, 0, [], 1000) <= 4


async def test_finding_what_is_due_reads_no_more_than_that(devices: asyncpg.Connection) -> None:
    assert await pages_read(devices, queries._DUE, START + 20, 0, [], 1000) <= 4 + 20


async def test_resuming_at_a_time_reads_no_earlier_events(devices: asyncpg.Connection) -> None:
    last = START + 40_000, [f"org_largeast_{40_000:028}"]
    for _ in range(10):
        assert await pages_read(devices, queries._DUE, START + 40_020, *last, 1000) <= 4 + 20


async def test_finding_no_changed_type_reads_an_index_only(devices: asyncpg.Connection) -> None:
    for _ in range(10):
        assert await pages_read(devices, queries._TYPES_TO_RECHECK, 1000) <= 4
