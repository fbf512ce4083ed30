"""What the jobs of a worker read when nothing is due: the same among many tenants with many rows as among few."""

import asyncio
from collections.abc import Iterator

import asyncpg
import pytest
from tests.support.databases import database_named
from tests.support.waiting import wait_for_async

from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.db.connection import ConnectionLostError
from steward.kit.db.partitions import DAY_SECONDS, first_id
from steward.kit.db.pool import Pool
from steward.kit.runtime import clock
from steward.settings import Settings
from steward.wiring.jobs import all_jobs
from steward.wiring.schema import migrate

pytestmark = pytest.mark.long

FEW, MANY = 10, 20_000
# A session reads the catalogue, now more of it and now less.
SLACK = 60

# One row of everything that has a time, none of which has come; parents are left out, nobody asks for them. Rate windows last
# for a minute: there are as many as callers, not as many as tenants.
_ROWS = {
    "organizations": "(id, name, plan, created, updated) SELECT 'org_' || n, 'x', 'Enterprise', 1, 1",
    "webhooks": """(organization_id, id, url, events, types, status, secrets, secret_last_four, created_at, updated_at)
        SELECT 'org_' || n, 'whk_' || n, 'https://example.com', '{{asset.*}}', '{{x}}', 'active', '', 'abcd', 1, 1""",
    "deliveries": """(organization_id, id, webhook_id, event_id, status, attempts, created, finished)
        SELECT 'org_' || n, '{delivery}' || n, 'whk_' || n, 'evt_' || n, 'succeeded', 1, {now}, {now}""",
    "webhook_replays": """(organization_id, id, webhook_id, since, until, selection, status, queued, created, updated)
        SELECT 'org_' || n, 'rpl_' || n, 'whk_' || n, 1, 1, 'all', 'completed', 1, {now}, {now}""",
    "asset_types": """(organization_id, id, name, is_iot_device, keep_alive, properties, created, updated, applied_keep_alive,
                       applied_iot_device)
        SELECT 'org_' || n, 'aty_1', 'Sensor', true, 600, '[]', 1, 1, 600, true""",
    "assets": """(organization_id, id, name, asset_type_id, status, connection_status, metadata, last_seen, connectivity_due,
                  rules_due, created, updated, search_text, search_grams)
        SELECT 'org_' || n, 'ast_' || n, 'Sensor', 'aty_1', 'Normal', true, '{{}}', {now}, {later}, {later}, 1, 1, '', '{{}}'""",
    "alerts": """(organization_id, id, asset_id, rule_id, severity, status, first_seen, last_seen, count)
        SELECT 'org_' || n, 'alt_' || n, 'ast_' || n, 'arl_1', 'Warning', 'Active', 1, 1, 1""",
    "work_orders": """(organization_id, id, number, title, status, priority, created, updated, sla_response_deadline,
                       sla_resolution_deadline)
        SELECT 'org_' || n, 'wo_' || n, n, 'x', 'Open', 'Low', 1, 1, {later}, {later}""",
    "bookings": """(organization_id, id, resource_id, resource_name, start_time, end_time, status, release_at, created, updated)
        SELECT 'org_' || n, 'bkg_' || n, 'res_1', 'x', 1, 2, 'Confirmed', {later}, 1, 1""",
    "visitors": """(organization_id, id, name, status, created, updated, search_text, search_grams)
        SELECT 'org_' || n, 'vis_' || n, 'x', 'Registered', {now}, {now}, '', '{{}}'""",
    "commands": """(organization_id, id, asset_id, name, payload, via, confirmed, f_port, status, attempts, due, created,
                    expires_at, updated)
        SELECT 'org_' || n, 'cmd_' || n, 'ast_' || n, 'x', '{{}}', 'mqtt', false, 1, 'sent', 1, {later}, {now}, {later}, 1""",
    "idempotent_answers": """(organization_id, subject, key, fingerprint, answer, created)
        SELECT 'org_' || n, 'x', 'x', '', '', {now}""",
    "refresh_tokens": """(organization_id, token_hash, chain_id, user_id, used, expires)
        SELECT 'org_' || n, '', 'x', 'x', false, {later}""",
    "web_sessions": """(organization_id, token_hash, user_id, expires) SELECT 'org_' || n, '', 'x', {later}""",
    "invitations": """(organization_id, id, email, name, token_hash, invited_by, created, expires_at)
        SELECT 'org_' || n, 'x', 'x', 'x', '', 'x', 1, {later}""",
    "password_resets": "(account_id, token_hash, generation, expires_at) SELECT 'acc_' || n, '', 1, {later}",
    "api_key_usage_days": """(organization_id, key_id, day, total_calls, successful_calls)
        SELECT 'org_' || n, 'x', {now} / 86400, 1, 1""",
}
_OTHERS = """FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"""
_BLOCKS = "SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()"


async def _fill(database_url: str, url: str, name: str, tenants: int) -> None:
    admin = await asyncpg.connect(database_url)
    await admin.execute(f"DROP DATABASE IF EXISTS {name}")
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.close()
    await migrate(url)
    connection = await asyncpg.connect(url)
    await connection.execute("SET session_replication_role = replica")
    now = clock.now()
    for table, rows in _ROWS.items():
        made = rows.format(now=now, later=now + 10 * DAY_SECONDS, delivery=first_id("dlv", now))
        await connection.execute(f"INSERT INTO {table} {made} FROM generate_series(1, {tenants}) n")
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


async def _drop(database_url: str, name: str) -> None:
    admin = await asyncpg.connect(database_url)
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture(scope="module")
def urls(database_url: str) -> Iterator[list[str]]:
    names = {f"idle_{tenants}": tenants for tenants in (FEW, MANY)}
    urls = [database_named(database_url, name) for name in names]
    for url, (name, tenants) in zip(urls, names.items(), strict=True):
        asyncio.run(_fill(database_url, url, name, tenants))
    yield urls
    for name in names:
        asyncio.run(_drop(database_url, name))


async def _blocks_read(url: str, number: int) -> int:
    """By the whole database, in the second round of the job: what a worker does at its start may be more."""
    pool = Pool(url, 2)
    job = all_jobs(pool, Settings(), url, Heartbeat(url))[number]
    await job.run()
    before = await _blocks(url)
    try:
        await job.run()
    except ConnectionLostError:
        await (
            job.run()
        )  # a session that was ended so that it publishes what it read, which is not visible yet
    after = await _blocks(url)
    await pool.close()
    return after - before


async def _blocks(url: str) -> int:
    """Sessions tell what they read when they end. What one worker does for all is due again."""
    connection = await asyncpg.connect(url)
    await connection.execute("UPDATE duties SET due = 0")
    await connection.execute(f"SELECT pg_terminate_backend(pid) {_OTHERS}")

    async def alone() -> bool:
        return not await connection.fetchval(f"SELECT count(*) {_OTHERS}")

    await wait_for_async("the end of all other sessions", alone)
    blocks = await connection.fetchval(_BLOCKS)
    await connection.close()
    return int(blocks)


JOBS = [job.name for job in all_jobs(Pool("", 1), Settings(), "", Heartbeat(""))]


@pytest.mark.parametrize("name", JOBS)
def test_a_job_that_finds_nothing_due_reads_the_same_among_many_tenants(urls: list[str], name: str) -> None:
    number = JOBS.index(name)
    few, many = (min(asyncio.run(_blocks_read(url, number)) for _ in range(3)) for url in urls)
    assert many <= few + SLACK
