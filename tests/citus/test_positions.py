"""The change feed's positions and its horizon are those of the coordinator, whichever server has the events."""

import asyncio

import asyncpg
from tests.support.organizations import Organization

from steward.events.feed import queries
from steward.kit.db.pool import Pool
from steward.kit.security.caller import TenantId

_INSERT = """INSERT INTO events (organization_id, id, type, created, about, attributes, body, position)
             VALUES ($1, $2, 'asset.deleted', 1, 'ast_1', '{}', '', event_position())"""


async def _fetchval(url: str, statement: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval(statement))
    finally:
        await connection.close()


def test_positions_are_numbers_of_the_coordinators_transactions(
    cluster_nodes: list[str], organization: Organization, database_url: str
) -> None:
    before = asyncio.run(_fetchval(database_url, "SELECT event_horizon()"))
    for number in range(3):
        organization.created("work-orders", {"title": f"Order {number}"})
    after = asyncio.run(_fetchval(database_url, "SELECT event_position()"))
    found = organization.sql(
        "SELECT position FROM events WHERE organization_id = $1 AND type = 'workorder.created' ORDER BY id",
        organization.id,
    )
    positions = [row[0] for row in found]
    assert positions == sorted(positions)
    assert before <= positions[0] < positions[-1] < after


def test_prepared_transactions_hold_the_feed_back(
    cluster_nodes: list[str], new_organization, database_url: str
) -> None:
    """A transaction over two servers that the coordinator has committed, while one of them doesn't know yet: as if that
    server had been cut off between the two."""
    asyncio.run(_prepare_and_read(cluster_nodes, database_url, [new_organization().id for _ in range(12)]))


async def _prepare_and_read(cluster_nodes: list[str], database_url: str, tenants: list[str]) -> None:
    connection = await asyncpg.connect(database_url)
    shard = "SELECT s.nodeport FROM pg_dist_shard_placement s WHERE s.shardid = get_shard_id_for_distribution_column('events', $1::text)"
    ports = {tenant: await connection.fetchval(shard, tenant) for tenant in tenants}
    cut_off = tenants[0]
    other = next(tenant for tenant in tenants if ports[tenant] != ports[cut_off])
    worker = await asyncpg.connect(next(url for url in cluster_nodes if f":{ports[cut_off]}/" in url))
    pool = Pool(database_url, 2)
    try:
        tenant = TenantId(cut_off)
        place = await queries.horizon(pool, tenant)
        # What recovery finds: a row that the coordinator committed, and a transaction that waits for it.
        gid = "citus_0_99999_1_1"
        shard_table = await worker.fetchval(
            """SELECT 'events_default_' || get_shard_id_for_distribution_column('events_default', $1::text)""",
            cut_off,
        )
        async with connection.transaction():
            position = await connection.fetchval("SELECT event_position()")
            await connection.execute(_INSERT, other, "evt_1")
            await connection.execute("INSERT INTO pg_dist_transaction (groupid, gid) VALUES (1, $1)", gid)
            await worker.execute("BEGIN")
            await worker.execute(
                f"""INSERT INTO {shard_table} (organization_id, id, type, created, about, attributes, body, position)
                    VALUES ($1, 'evt_1', 'asset.deleted', 1, 'ast_1', '{{}}', '', $2)""",
                cut_off,
                position,
            )
            await worker.execute(f"PREPARE TRANSACTION '{gid}'")
        later = "evt_2"
        await connection.execute(_INSERT, cut_off, later)
        held = await queries.after(pool, tenant, place, 10)
        assert held.events == []
        await worker.execute(f"COMMIT PREPARED '{gid}'")
        seen = await queries.after(pool, tenant, place, 10)
        assert [event.place.id for event in seen.events] == ["evt_1", later]
    finally:
        await pool.close()
        await worker.close()
        await connection.close()
