"""A duty is done by one worker at a time, at its interval over all of them."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable

import asyncpg
import pytest
from tests.support.databases import with_pool

from steward.kit.db.pool import Pool
from steward.kit.jobs.singleton_job import run_as_singleton

_numbers = itertools.count(1)


class Round:
    """A duty nobody else has, and how often it was done."""

    def __init__(self, database_url: str) -> None:
        self.database_url = database_url
        self.name = f"test {next(_numbers)}"
        self.done = 0

    async def work(self) -> None:
        self.done += 1

    def at(self, now: int, *, every: int = 120) -> bool:
        return with_pool(
            self.database_url, lambda pool: run_as_singleton(pool, self.name, every, now, self.work)
        )

    def while_at_work(self, meanwhile: Callable[[Pool], Awaitable[object]]) -> bool:
        async def main(pool: Pool) -> bool:
            async def work() -> None:
                await self.work()
                await meanwhile(pool)

            return await run_as_singleton(pool, self.name, 120, 1000, work)

        return with_pool(self.database_url, main)


@pytest.fixture
def duty(database_url: str) -> Round:
    return Round(database_url)


def test_a_job_runs_at_once_and_then_at_its_interval(duty: Round) -> None:
    moments = (1000, 1000, 1001, 1119, 1120, 1121, 1500, 1619, 1620)
    assert [now for now in moments if duty.at(now)] == [1000, 1120, 1500, 1620]
    assert duty.done == 4


def test_a_shorter_interval_holds_at_once(duty: Round) -> None:
    assert duty.at(1000, every=86_400)
    assert duty.at(1001, every=120)
    assert not duty.at(1002, every=120)


def test_one_of_many_concurrent_requests_does_the_work(duty: Round) -> None:
    async def ask(pool: Pool) -> list[bool]:
        return await asyncio.gather(
            *(run_as_singleton(pool, duty.name, 120, 1000, duty.work) for _ in range(8))
        )

    assert sorted(with_pool(duty.database_url, ask, size=8)) == [False] * 7 + [True]
    assert duty.done == 1


def test_a_lock_excludes_concurrent_runs(duty: Round) -> None:
    async def ask(pool: Pool) -> None:
        assert not await run_as_singleton(pool, duty.name, 120, 5000, duty.work)

    assert duty.while_at_work(ask)
    assert duty.done == 1


def test_one_job_does_not_wait_for_another(duty: Round) -> None:
    other = Round(duty.database_url)

    async def ask(pool: Pool) -> None:
        assert await run_as_singleton(pool, other.name, 120, 1000, other.work)

    assert duty.while_at_work(ask)
    assert (duty.done, other.done) == (1, 1)


def test_a_failed_round_is_repeated(duty: Round) -> None:
    async def fail(_pool: Pool) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        duty.while_at_work(fail)
    assert duty.at(1000)


def test_a_round_of_a_dead_worker_is_repeated_by_the_next(duty: Round) -> None:
    async def die(pool: Pool) -> None:
        admin = await asyncpg.connect(duty.database_url)
        try:
            ended = await admin.fetchval(
                """SELECT pg_terminate_backend(pid, 60000) FROM pg_locks JOIN pg_database d ON d.oid = database
                   WHERE locktype = 'advisory' AND objid = hashtext($1)::oid AND datname = current_database()""",
                duty.name,
            )
            assert ended
        finally:
            await admin.close()
        assert await run_as_singleton(pool, duty.name, 120, 1000, duty.work)

    with pytest.raises((OSError, asyncpg.PostgresError)):
        duty.while_at_work(die)
    assert duty.done == 2


def test_running_jobs_do_not_block_vacuum(duty: Round) -> None:
    held: list[tuple[object, object]] = []

    async def look(_pool: Pool) -> None:
        admin = await asyncpg.connect(duty.database_url)
        try:
            rows = await admin.fetch(
                """SELECT a.backend_xid, a.backend_xmin FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid
                   WHERE l.locktype = 'advisory' AND l.objid = hashtext($1)::oid AND a.datname = current_database()""",
                duty.name,
            )
            held.extend(map(tuple, rows))
        finally:
            await admin.close()

    assert duty.while_at_work(look)
    assert held == [(None, None)]
