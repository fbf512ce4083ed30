"""The cost of an idle worker depends on pending deliveries, not on tenants or webhooks."""

import re
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.support.processes import StewardProcess
from tests.support.waiting import wait_for_async
from tests.webhook_delivery.delivery_database import DeliveryDatabase
from tests.webhook_delivery.receiver import Receiver

from steward.kit.db.partitions import DAY_SECONDS, make_partition, partition_start
from steward.kit.runtime import clock
from steward.webhook_delivery import queries
from steward.webhook_delivery.repairs import queries as repairs

MANY = 3000
KEPT_DAYS = 30

_TENANTS = """INSERT INTO organizations (id, name, plan, created, updated)
              SELECT 'org_' || n, 'Test', 'Enterprise', 0, 0 FROM generate_series(1, $1::integer) n"""
_WEBHOOKS = """INSERT INTO webhooks (organization_id, id, url, events, types, status, secrets, secret_last_four, created_at,
                                     updated_at)
               SELECT 'org_' || n, 'whk_' || n, 'https://example.com', '{x}', '{x}', 'active', '', 'abcd', 0, 0
               FROM generate_series(1, $1::integer) n"""
_WAITING = """INSERT INTO deliveries (organization_id, id, webhook_id, event_id, status, attempts, due, created)
              SELECT 'org_' || n, $3 || lpad(to_hex(n * 10000 + i), 8, '0'), 'whk_' || n, 'evt_1', lane, 0, $4::bigint + i, 0
              FROM unnest($1::integer[]) n, generate_series(1, $2::integer) i, unnest($5::text[]) lane
              WHERE (i % 2 = 0) = (lane = 'retrying')"""
_TRANSACTIONS = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"


async def _many_webhooks(database: DeliveryDatabase, count: int = MANY) -> None:
    await database.rows(_TENANTS, count)
    await database.rows(_WEBHOOKS, count)


async def _waiting(database: DeliveryDatabase, numbers: list[int], each: int, due: int) -> None:
    first_id = queries.end_of_ids(clock.now_ms() - DAY_SECONDS * 1000)
    await database.rows(_WAITING, numbers, each, first_id, due, ["pending", "retrying"])


async def _a_month_of_partitions(database: DeliveryDatabase) -> None:
    connection = await asyncpg.connect(database.url)
    today = partition_start("deliveries", clock.now())
    for day in range(1, KEPT_DAYS + 1):
        await make_partition(connection, "deliveries", today - day * DAY_SECONDS)
    await connection.close()


async def _buffers(connection: asyncpg.Connection, statement: str, *args: Any) -> int:
    plan = await connection.fetch(f"EXPLAIN (ANALYZE, BUFFERS) {statement}", *args)
    numbers = re.findall(r"(?:hit|read)=(\d+)", next(row[0] for row in plan if "Buffers" in row[0]))
    return sum(map(int, numbers))


@pytest.mark.usefixtures("one_server")
@pytest.mark.parametrize("plans", ["force_generic_plan", "force_custom_plan"])
async def test_an_empty_claim_reads_few_pages_however_many_webhooks_exist(
    database: DeliveryDatabase, plans: str
) -> None:
    await _a_month_of_partitions(database)
    await _many_webhooks(database)
    connection = await asyncpg.connect(database.url)
    await connection.execute(f"SET plan_cache_mode = {plans}")
    end = queries.end_of_ids(clock.now_ms())
    for statement, args in (
        *((page, ("", "", "", end)) for page in queries._WAITING_PAGES.values()),
        (repairs._TENANTS_WITH_LOST, ()),
    ):
        assert await _buffers(connection, statement, *args) < 100
    await connection.close()


async def test_every_lane_is_found_once_by_its_earliest_delivery(
    database: DeliveryDatabase,
) -> None:
    """Pages end within a lane with many deliveries, and between lanes with few."""
    await _many_webhooks(database, 600)
    now = clock.now_ms()
    await _waiting(database, [2, 5], 1000, now)
    await _waiting(database, list(range(100, 600)), 2, now)
    found = await queries.waiting_lanes(database.pool, queries.end_of_ids(now))
    assert found == {
        (f"org_{n}", f"whk_{n}"): {"pending": now + 1, "retrying": now + 2} for n in (2, 5, *range(100, 600))
    }


async def test_skipping_a_lane_reads_none_of_its_deliveries(database: DeliveryDatabase) -> None:
    await _many_webhooks(database, 10)
    await _waiting(database, [1, 2, 3], 9000, clock.now_ms())
    await database.rows("VACUUM ANALYZE deliveries")
    connection = await asyncpg.connect(database.url)
    end = queries.end_of_ids(clock.now_ms())
    for plans in ("force_generic_plan", "force_custom_plan"):
        await connection.execute(f"SET plan_cache_mode = {plans}")
        for statement in queries._WAITING_PAGES.values():
            assert await _buffers(connection, statement, "org_1", "whk_1", "retrying", end) < 100
    await connection.close()


async def test_deliveries_without_a_hint_are_found_among_many_tenants(
    database: DeliveryDatabase, receiver: Receiver
) -> None:
    await _many_webhooks(database)
    tenant = await database.new_tenant()
    await database.webhook(tenant, receiver.url())
    async with database.engine():
        await database.publish(tenant, 2)
        await database.until_all("succeeded")
    assert len(receiver.got) == 2


@pytest.mark.long
async def test_the_queries_of_an_idle_worker_do_not_grow_with_tenants(
    database: DeliveryDatabase, tmp_path: Path
) -> None:
    """From its start on, so that every job has run, and until it has looked for what is overdue three times."""
    asked = []
    for tenants in (3, MANY):
        await database.rows("DELETE FROM duties")
        await database.rows("DELETE FROM webhooks")
        await database.rows("DELETE FROM organizations")
        await _many_webhooks(database, tenants)
        before = (await database.rows(_TRANSACTIONS))[0][0]
        worker = StewardProcess(
            tmp_path / f"worker-{tenants}.log", "worker", STEWARD_DATABASE_URL=database.url
        )
        try:
            await _rounds(database, 3)
        finally:
            worker.stop()
        asked.append((await database.rows(_TRANSACTIONS))[0][0] - before)
    assert asked[1] < 2 * asked[0]


async def _rounds(database: DeliveryDatabase, count: int) -> None:
    seen: set[int] = set()

    async def looked() -> bool:
        seen.update(
            row[0]
            for row in await database.rows("SELECT due FROM duties WHERE name = 'check_overdue_deliveries'")
        )
        return len(seen - {0}) >= count

    await wait_for_async(f"{count} rounds", looked, seconds=120)
