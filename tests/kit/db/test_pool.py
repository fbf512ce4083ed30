"""Every wait for the database has a time limit, and only waits beyond it are ended."""

import asyncio
import select
import socket
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest
from structlog.testing import capture_logs
from tests.support.databases import fetch_rows
from tests.support.proxy import FaultProxy
from tests.support.waiting import limit, wait_for_async

from steward.kit.db.connection import ConnectionLostError, DatabaseConnection, NoAnswerError, connect
from steward.kit.db.faults import FaultLog, WriteHealth, fault_kind
from steward.kit.db.pool import Pool
from steward.kit.db.sql import sql
from steward.kit.domain.problems import Unavailable

ONE = sql("SELECT 1")
LONG = sql("SELECT pg_sleep(3600), 'to be cancelled'")
BACKEND = sql("SELECT pg_backend_pid()")
# The server's time limit in these tests; most statements take a thousandth of it.
SECONDS = limit(0.5)
BRIEF = sql("SELECT pg_sleep(0.6), 'brief'")
TOO_LONG = sql("SELECT pg_sleep(3600), 'too long'")
EXPECTED = sql(f"SELECT pg_sleep({SECONDS + 0.3}), 'expected'", seconds=int(limit(60)))
# The client gives up after that.
PATIENCE = 3600


class PatientConnection(DatabaseConnection):
    """Only the server ends slow statements, however late its answer."""

    grace_seconds = PATIENCE


@pytest.fixture
def proxy(database_url: str) -> Iterator[FaultProxy]:
    with FaultProxy.before(database_url) as proxy:
        yield proxy


@pytest.fixture
async def connection(database_url: str) -> AsyncIterator[DatabaseConnection]:
    connection = await connect(database_url, seconds=SECONDS, connection_class=PatientConnection)
    yield connection
    await connection.close()


async def test_connection_survives_a_statement_timeout(
    connection: DatabaseConnection,
) -> None:
    with pytest.raises(asyncpg.QueryCanceledError):
        await connection.run(TOO_LONG)
    assert (await connection.run(ONE))[0][0] == 1


async def test_statement_with_its_own_time_limit(connection: DatabaseConnection) -> None:
    for _ in range(2):
        assert (await connection.run(EXPECTED))[0][1] == "expected"
        with pytest.raises(asyncpg.QueryCanceledError):
            await connection.run(TOO_LONG)
    async with connection.transaction():
        await connection.run(EXPECTED)
    with pytest.raises(asyncpg.QueryCanceledError):
        await connection.run(TOO_LONG)


async def test_a_resumed_process_reads_missed_changes(database_url: str) -> None:
    connection = await connect(database_url)
    await connection.run(BRIEF)
    connection.set_statement_seconds(0.1)
    asking = asyncio.ensure_future(connection.run(BRIEF))
    await asyncio.sleep(0)
    # Nothing runs in this process until the answer is there, later than it should have come.
    answered, _, _ = select.select([connection._transport.get_extra_info("socket")], [], [], limit(60))
    assert answered
    assert (await asking)[0][1] == "brief"
    await connection.close()


async def test_a_statement_timeout_drops_idle_connections_too(proxy: FaultProxy, database_url: str) -> None:
    pool = Pool(proxy.url(database_url), 3, seconds=limit(1))
    before = {row[0][0] for row in await asyncio.gather(*(pool.fetch(BACKEND) for _ in range(3)))}
    assert len(before) == 3
    proxy.strand()
    with pytest.raises(NoAnswerError):
        await pool.fetch(ONE)
    after = {row[0][0] for row in await asyncio.gather(*(pool.fetch(BACKEND) for _ in range(3)))}
    assert not before & after
    await pool.close()


async def test_pool_refuses_at_once_while_the_server_is_away(proxy: FaultProxy, database_url: str) -> None:
    pool = Pool(proxy.url(database_url), 1, seconds=limit(1))
    proxy.mode = "hole"
    waiting = [asyncio.ensure_future(pool.fetch(ONE)) for _ in range(3)]
    outcomes = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), limit(60))
    assert all(isinstance(outcome, OSError | Unavailable) for outcome in outcomes)
    with pytest.raises(ConnectionLostError):
        pool.fetch(ONE).send(None)  # at its first step, so that it waits for nothing
    proxy.mode = "pass"
    await wait_for_async("an answer", lambda: answer_of(pool))
    await pool.close()


async def answer_of(pool: Pool) -> object:
    try:
        return await pool.fetch(ONE)
    except OSError:
        return None


_SLEEPING = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query = $1"


async def sleeping(database_url: str) -> list[asyncpg.Record]:
    return await fetch_rows(database_url, f"SELECT pid {_SLEEPING}", LONG)


async def end_sleeping(database_url: str) -> list[asyncpg.Record]:
    """The server does not notice by itself that their clients are gone."""
    return await fetch_rows(database_url, f"SELECT pg_terminate_backend(pid, 60000) {_SLEEPING}", LONG)


async def test_a_server_that_closes_on_connect_counts_as_down(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang_up(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")

    monkeypatch.setattr(asyncpg, "connect", hang_up)
    pool = Pool(database_url, 1)
    with pytest.raises(ConnectionLostError, match="while it was made"):
        await pool.fetch(ONE)
    await pool.close()


async def test_cancelled_requests_delay_no_other(database_url: str) -> None:
    pool = Pool(database_url, 1, seconds=PATIENCE, acquire_seconds=PATIENCE)
    for _ in range(2):
        asking = asyncio.ensure_future(pool.fetch(LONG))
        await wait_for_async("the beginning of the statement", lambda: sleeping(database_url))
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await asyncio.wait_for(pool.fetchval(ONE), limit(60))) == 1
        await end_sleeping(database_url)
    with pytest.raises(TimeoutError):
        # Wherever it is by then.
        async with asyncio.timeout(0.1), pool.transaction() as tx:
            await tx.fetch(LONG)
    assert (await asyncio.wait_for(pool.fetchval(ONE), limit(60))) == 1
    await pool.close()
    await end_sleeping(database_url)


async def test_a_pool_closes_while_the_network_drops_packets(proxy: FaultProxy, database_url: str) -> None:
    pool = Pool(proxy.url(database_url), 2, seconds=PATIENCE)
    await asyncio.gather(*(pool.fetch(ONE) for _ in range(2)))
    proxy.mode = "hole"
    asking = asyncio.ensure_future(pool.fetch(ONE))
    await wait_for_async("a statement without an answer", lambda: proxy.held)
    await asyncio.wait_for(pool.close(), limit(60))
    with pytest.raises(ConnectionLostError):
        await asyncio.wait_for(asking, limit(60))
    with pytest.raises(ConnectionLostError):
        await pool.fetch(ONE)


async def test_tcp_keepalive_detects_dead_hosts(proxy: FaultProxy, database_url: str) -> None:
    connection = await connect(proxy.url(database_url))
    seen: socket.socket = connection._transport.get_extra_info("socket")
    assert seen.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        assert 0 < seen.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) < 10_000
    await connection.close()


def test_fault_kinds() -> None:
    assert fault_kind(asyncpg.DiskFullError("no space")) == "disk full"
    assert fault_kind(TimeoutError()) == "no answer"
    assert fault_kind(NoAnswerError("no answer")) == "no answer"
    assert fault_kind(ConnectionRefusedError()) == "away"
    lost = ConnectionLostError("cannot execute INSERT")
    lost.__cause__ = asyncpg.ReadOnlySQLTransactionError("cannot execute INSERT")
    assert fault_kind(lost) == "read-only"


def test_each_kind_is_logged_once_a_minute() -> None:
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


def test_writability_is_unknown_until_a_write() -> None:
    writing = WriteHealth()
    writing.failed(ConnectionRefusedError())
    assert writing.fault is None
    writing.failed(asyncpg.DiskFullError("no space"))
    assert writing.fault == "disk full"
    writing.succeeded()
    assert writing.fault is None


OPEN = sql("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY($1::integer[])")


async def backends(pool: Pool, at_once: int) -> list[int]:
    """Of so many statements that run at the same time."""
    rows = await asyncio.gather(*(pool.fetch(BACKEND) for _ in range(at_once)))
    return sorted({row[0][0] for row in rows})


async def test_unused_connections_are_closed(database_url: str) -> None:
    pool, watch = Pool(database_url, 6, idle_seconds=0.05), await connect(database_url)
    before = await backends(pool, 6)
    assert len(before) == 6

    async def two_are_left() -> bool:
        return (await watch.run(OPEN, before))[0][0] <= 2

    await wait_for_async("the end of four connections", two_are_left)
    assert (await watch.run(OPEN, before))[0][0] == 2
    assert len(await backends(pool, 6)) == 6
    await pool.close()
    await watch.close()


async def test_the_pool_keeps_as_many_connections_as_are_used_at_once(database_url: str) -> None:
    pool, watch = Pool(database_url, 6, idle_seconds=PATIENCE), await connect(database_url)

    def time_passes() -> None:
        assert pool._connections._shrinking is not None
        pool._connections._shrinking.cancel()
        pool._connections._shrink()

    async def still_open(count: int) -> bool:
        return (await watch.run(OPEN, before))[0][0] == count

    before = await backends(pool, 6)
    time_passes()
    assert len(await backends(pool, 3)) == 3
    time_passes()
    await wait_for_async("the end of three connections", lambda: still_open(3))
    # What is needed stays, however often one looks.
    for _ in range(5):
        assert len(await backends(pool, 3)) == 3
        time_passes()
    assert await still_open(3)
    # Two are kept by those who need none.
    time_passes()
    await wait_for_async("the end of one more", lambda: still_open(2))
    assert pool._connections._shrinking is None
    assert len(await backends(pool, 2)) == 2
    assert await still_open(2)
    assert len(await backends(pool, 6)) == 6
    await pool.close()
    await watch.close()
