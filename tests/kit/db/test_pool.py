"""Every wait for the database has an end, and only those end that waited too long."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest
from structlog.testing import capture_logs
from tests.support.proxy import FaultProxy

from steward.kit.db.connection import ConnectionLostError, DatabaseConnection, NoAnswerError, connect
from steward.kit.db.faults import FaultLog, WriteHealth, fault_kind
from steward.kit.db.pool import Pool
from steward.kit.db.sql import sql
from steward.kit.domain.problems import Unavailable

ONE = sql("SELECT 1")
LONG = sql("SELECT pg_sleep(30)")
BRIEF = sql("SELECT pg_sleep(0.6), 'brief'")
EXPECTED = sql("SELECT pg_sleep(0.6), 'expected'", seconds=20)
BACKEND = sql("SELECT pg_backend_pid()")
PAUSE = sql("SELECT pg_backend_pid(), pg_sleep(0.05)")


@pytest.fixture
def proxy(database_url: str) -> Iterator[FaultProxy]:
    with FaultProxy.before(database_url) as proxy:
        yield proxy


@pytest.fixture
async def connection(database_url: str) -> AsyncIterator[DatabaseConnection]:
    connection = await connect(database_url, seconds=0.3)
    yield connection
    await connection.close()


async def test_the_server_ends_a_slow_statement_and_the_connection_lives_on(
    connection: DatabaseConnection,
) -> None:
    with pytest.raises(asyncpg.QueryCanceledError):
        await connection.run(BRIEF)
    assert (await connection.run(ONE))[0][0] == 1


async def test_a_statement_may_say_that_it_takes_longer(connection: DatabaseConnection) -> None:
    for _ in range(2):
        assert (await connection.run(EXPECTED))[0][1] == "expected"
        with pytest.raises(asyncpg.QueryCanceledError):
            await connection.run(BRIEF)
    async with connection.transaction():
        await connection.run(EXPECTED)
    with pytest.raises(asyncpg.QueryCanceledError):
        await connection.run(BRIEF)


async def test_a_process_that_stood_still_reads_what_has_come(database_url: str) -> None:
    connection = await connect(database_url)
    await connection.run(BRIEF)
    connection.set_statement_seconds(0.1)
    asking = asyncio.ensure_future(connection.run(BRIEF))
    await asyncio.sleep(0)
    time.sleep(1.5)  # noqa: ASYNC251 (that is what is tried here)
    assert (await asking)[0][1] == "brief"
    await connection.close()


async def test_silence_ends_a_statement_and_drops_the_idle_ones_beside_it(
    proxy: FaultProxy, database_url: str
) -> None:
    pool = Pool(proxy.url(database_url), 3, seconds=0.3)
    before = {row[0][0] for row in await asyncio.gather(*(pool.fetch(BACKEND) for _ in range(3)))}
    assert len(before) == 3
    proxy.strand()
    with pytest.raises(NoAnswerError):
        await pool.fetch(ONE)
    after = {row[0][0] for row in await asyncio.gather(*(pool.fetch(BACKEND) for _ in range(3)))}
    assert not before & after
    await pool.close()


async def test_a_pool_without_an_answering_server_refuses_at_once_until_there_is_one(
    proxy: FaultProxy, database_url: str
) -> None:
    pool = Pool(proxy.url(database_url), 1, seconds=0.3)
    proxy.mode = "hole"
    waiting = [asyncio.ensure_future(pool.fetch(ONE)) for _ in range(3)]
    outcomes = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 10)
    assert all(isinstance(outcome, OSError | Unavailable) for outcome in outcomes)
    began = time.monotonic()
    with pytest.raises(ConnectionLostError):
        await pool.fetch(ONE)
    assert time.monotonic() - began < 1
    proxy.mode = "pass"
    await asyncio.wait_for(until_answered(pool), 10)
    await pool.close()


async def until_answered(pool: Pool) -> None:
    while True:
        try:
            await pool.fetch(ONE)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            return


async def test_what_is_cancelled_holds_nobody_up(database_url: str) -> None:
    pool = Pool(database_url, 1)
    for _ in range(2):
        asking = asyncio.ensure_future(pool.fetch(LONG))
        await asyncio.sleep(0.1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await asyncio.wait_for(pool.fetchval(ONE), 3)) == 1
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1), pool.transaction() as tx:
            await tx.fetch(LONG)
    assert (await asyncio.wait_for(pool.fetchval(ONE), 3)) == 1
    await pool.close()


async def test_a_pool_closes_in_a_hole(proxy: FaultProxy, database_url: str) -> None:
    pool = Pool(proxy.url(database_url), 2)
    await asyncio.gather(*(pool.fetch(ONE) for _ in range(2)))
    proxy.mode = "hole"
    asking = asyncio.ensure_future(pool.fetch(LONG))
    await asyncio.sleep(0.1)
    await asyncio.wait_for(pool.close(), 5)
    with pytest.raises(ConnectionLostError):
        await asyncio.wait_for(asking, 5)
    with pytest.raises(ConnectionLostError):
        await pool.fetch(ONE)


async def test_the_kernel_is_told_to_notice_dead_machines(proxy: FaultProxy, database_url: str) -> None:
    connection = await connect(proxy.url(database_url))
    seen: socket.socket = connection._transport.get_extra_info("socket")
    assert seen.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        assert 0 < seen.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) < 10_000
    await connection.close()


def test_faults_have_names() -> None:
    assert fault_kind(asyncpg.DiskFullError("no space")) == "disk full"
    assert fault_kind(TimeoutError()) == "no answer"
    assert fault_kind(NoAnswerError("no answer")) == "no answer"
    assert fault_kind(ConnectionRefusedError()) == "away"
    lost = ConnectionLostError("cannot execute INSERT")
    lost.__cause__ = asyncpg.ReadOnlySQLTransactionError("cannot execute INSERT")
    assert fault_kind(lost) == "read-only"


def test_each_kind_is_told_once_a_minute() -> None:
    now = 1000.0
    complaints = FaultLog(lambda: now)
    with capture_logs() as logs:
        for _ in range(5):
            complaints.report("nothing is stored", asyncpg.DiskFullError("no space"))
            complaints.report("nothing is stored", ConnectionRefusedError("refused"))
        now += 61
        complaints.report("nothing is stored", asyncpg.DiskFullError("no space"))
    assert [line["fault"] for line in logs] == ["disk full", "away", "disk full"]
    assert logs[2]["suppressed"] == 4


def test_writing_is_in_doubt_until_something_was_written() -> None:
    writing = WriteHealth()
    writing.failed(ConnectionRefusedError())
    assert writing.fault is None
    writing.failed(asyncpg.DiskFullError("no space"))
    assert writing.fault == "disk full"
    writing.succeeded()
    assert writing.fault is None


OPEN = sql("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY($1::integer[])")


async def test_connections_that_nobody_needs_are_closed(database_url: str) -> None:
    pool, watch = Pool(database_url, 6, idle_seconds=0.2), await connect(database_url)

    async def backends(at_once: int) -> list[int]:
        """Of so many statements that run at the same time."""
        rows = await asyncio.gather(*(pool.fetch(PAUSE) for _ in range(at_once)))
        return sorted({row[0][0] for row in rows})

    before = await backends(6)
    assert len(before) == 6
    # What is needed stays, however often one looks.
    async with asyncio.timeout(20):
        while (await watch.run(OPEN, before))[0][0] > 3:
            await backends(3)
    for _ in range(5):
        assert len(await backends(3)) == 3
    assert (await watch.run(OPEN, before))[0][0] == 3
    # Two are kept by those who need none.
    async with asyncio.timeout(20):
        while (await watch.run(OPEN, before))[0][0] > 2:
            await watch.run(PAUSE)
    for _ in range(10):
        await watch.run(PAUSE)
    assert (await watch.run(OPEN, before))[0][0] == 2
    assert len(await backends(6)) == 6
    await pool.close()
    await watch.close()
