"""A pooler before the database: what can't work through it is refused at the start, in a line that says why."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs
from tests.support.databases import fetch
from tests.support.pgbouncer import PREPARED_STATEMENTS, PgBouncer, pgbouncer_version, require_pgbouncer
from tests.support.processes import StewardProcess
from tests.support.waiting import limit

from steward.kit.db.pool import Pool
from steward.kit.db.pooler import NotificationsNotReceived, require_usable_pooler
from steward.kit.db.sql import sql

pytestmark = pytest.mark.long

BACKEND = sql("SELECT pg_backend_pid()")
TIMEOUT = sql("SELECT current_setting('statement_timeout')")
SLEEP = sql("SELECT pg_sleep(0.6), current_setting('statement_timeout')", seconds=20)
LONG = sql("SELECT pg_sleep(30)")
COLUMNS = sql("SELECT * FROM pooled_thing")


def refusal(log: Path, *arguments: str, **settings: str) -> str:
    """What a command says that is not started."""
    process = StewardProcess(log, *arguments, STEWARD_PORT="0", **settings)
    assert process.process.wait(limit(60)) == 1, process.said
    return process.said


@pytest.mark.parametrize("command", ["api", "worker", "migrate"])
def test_a_process_without_notifications_does_not_start(
    tmp_path: Path, database_url: str, command: str
) -> None:
    require_pgbouncer(prepared_statements=True)
    with PgBouncer(tmp_path / "pooler", database_url, "transaction") as pooler:
        said = refusal(tmp_path / "log", command, STEWARD_DATABASE_URL=pooler.url)
    assert "does not arrive on the LISTEN connection" in said
    assert "STEWARD_DATABASE_LISTEN_URL" in said


def test_support_for_prepared_statements_of_a_pooler_is_detected(tmp_path: Path, database_url: str) -> None:
    settings = {} if pgbouncer_version() < PREPARED_STATEMENTS else {"max_prepared_statements": "0"}
    with PgBouncer(tmp_path / "pooler", database_url, "transaction", **settings) as pooler:
        for listening in ({}, {"STEWARD_DATABASE_LISTEN_URL": database_url}):
            said = refusal(tmp_path / "log", "api", STEWARD_DATABASE_URL=pooler.url, **listening)
            assert "PgBouncer has to be 1.21 or newer, with max_prepared_statements above 0" in said


async def test_session_mode_passes_all_checks(tmp_path: Path, database_url: str) -> None:
    require_pgbouncer()
    with PgBouncer(tmp_path / "pooler", database_url, "session") as pooler:
        await require_usable_pooler(pooler.url)
        pool = Pool(pooler.url, 2, seconds=7)
        assert await pool.fetchval(TIMEOUT) == "7s", "of a session of its own"
        await pool.close()


@pytest.mark.parametrize("kept_by", ["the pooler", "the database"])
async def test_a_timeout_set_through_the_pooler_is_lost_with_the_first_client(
    tmp_path: Path, empty_url: str, kept_by: str
) -> None:
    require_pgbouncer()
    if kept_by == "the database":
        name = urlsplit(empty_url).path.lstrip("/")
        await asyncio.to_thread(fetch, empty_url, f"ALTER DATABASE \"{name}\" SET statement_timeout = '30s'")
    with PgBouncer(tmp_path / "pooler", empty_url, "session", default_pool_size="1") as pooler:
        seen = []
        for _ in range(2):
            pool = Pool(pooler.url, 1, needs_session=False)
            seen.append(await pool.fetchval(TIMEOUT))
            await pool.close()
        with capture_logs() as logs:
            await require_usable_pooler(pooler.url, empty_url)
    assert seen == (["30s", "0"] if kept_by == "the pooler" else ["30s", "30s"])
    advised = [line["advice"] for line in logs if "statement_timeout" in line["event"]]
    assert len(advised) == (kept_by == "the pooler")
    assert all("ALTER ROLE" in advice for advice in advised)


async def test_a_pooler_of_another_database_is_refused(
    tmp_path: Path, database_url: str, empty_url: str
) -> None:
    with pytest.raises(NotificationsNotReceived):
        await require_usable_pooler(database_url, empty_url)
    require_pgbouncer(prepared_statements=True)
    with PgBouncer(tmp_path / "pooler", database_url, "transaction") as pooler:
        await require_usable_pooler(pooler.url, database_url)
        with pytest.raises(NotificationsNotReceived):
            await require_usable_pooler(pooler.url, pooler.url)


async def test_one_server_process_is_enough(tmp_path: Path, database_url: str) -> None:
    """Whether it knows prepared statements can't be found out then, and no caller waits for ever."""
    require_pgbouncer(prepared_statements=True)
    with PgBouncer(tmp_path / "pooler", database_url, "transaction", default_pool_size="1") as pooler:
        await require_usable_pooler(pooler.url, database_url)


def test_a_database_is_made_and_used_through_a_pooler(tmp_path: Path, empty_url: str) -> None:
    require_pgbouncer(prepared_statements=True)
    with PgBouncer(tmp_path / "pooler", empty_url, "transaction") as pooler:
        settings = {"STEWARD_DATABASE_URL": pooler.url, "STEWARD_DATABASE_LISTEN_URL": empty_url}
        for _ in range(2):  # no lock is left behind
            migrating = StewardProcess(tmp_path / "migrate.log", "migrate", **settings)
            assert migrating.process.wait(limit(120)) == 0, migrating.said
        assert "nothing to do" in migrating.said
        account = ("--admin-email", "admin@example.com", "--admin-password", "correct horse battery staple")
        creating = StewardProcess(tmp_path / "org.log", "org", "create", "Acme", *account, **settings)
        assert creating.process.wait(limit(60)) == 0, creating.said


@asynccontextmanager
async def pooled(folder: Path, database_url: str, size: int) -> AsyncIterator[tuple[Pool, Pool]]:
    """Two processes' pools over few server processes."""
    require_pgbouncer(prepared_statements=True)
    with PgBouncer(folder, database_url, "transaction", default_pool_size="3") as pooler:
        pools = [Pool(pooler.url, size, seconds=2, needs_session=False) for _ in range(2)]
        yield pools[0], pools[1]
        await asyncio.gather(*(pool.close() for pool in pools))


async def test_no_setting_outlasts_its_transaction(tmp_path: Path, database_url: str) -> None:
    async with pooled(tmp_path / "pooler", database_url, 4) as (pool, other):
        for _ in range(3):
            assert (await pool.fetch(SLEEP))[0][1] == "20s"
            async with pool.transaction() as transaction:
                assert await transaction.fetchval(TIMEOUT) == "2s"
                assert (await transaction.fetch(SLEEP))[0][1] == "20s"
                assert await transaction.fetchval(TIMEOUT) == "2s"
            seen = await asyncio.gather(*(each.fetchval(TIMEOUT) for each in (pool, other) * 4))
            assert set(seen) == {"30s"}, "as PgBouncer is configured"


async def test_statements_are_known_wherever_they_are_run(tmp_path: Path, database_url: str) -> None:
    async with pooled(tmp_path / "pooler", database_url, 8) as (pool, other):
        backends = set()
        for _ in range(20):
            rows = await asyncio.gather(*(each.fetch(BACKEND) for each in (pool, other) * 6))
            backends |= {row[0][0] for row in rows}
        assert 1 < len(backends) <= 3


async def test_a_prepared_statement_survives_a_migration(tmp_path: Path, empty_url: str) -> None:
    async with pooled(tmp_path / "pooler", empty_url, 1) as (pool, other):
        await pool.execute("CREATE TABLE pooled_thing (a integer)")  # type: ignore[arg-type]
        await pool.execute("INSERT INTO pooled_thing VALUES (1)")  # type: ignore[arg-type]
        for added in ("b", "c"):
            for each in (pool, other, pool, other):
                await each.fetch(COLUMNS)
            await pool.execute(f"ALTER TABLE pooled_thing ADD COLUMN {added} integer")  # type: ignore[arg-type]
            for each in (pool, other, pool, other):
                assert added in (await each.fetch(COLUMNS))[0].keys()  # noqa: SIM118 (a record is no dict)


async def test_a_statement_without_an_answer_times_out(tmp_path: Path, database_url: str) -> None:
    async with pooled(tmp_path / "pooler", database_url, 1) as (pool, _other):
        with pytest.raises(OSError, match=r"no answer within 2\.25 s"):
            await pool.fetch(LONG)
        assert await pool.fetchval(BACKEND)
