"""A connection is lost between preparing a statement and running it, and its transaction stays open."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from tests.support.databases import fetch_rows
from tests.support.waiting import wait_for_async

from steward.kit.db.abandoned_transactions import end_abandoned_transactions
from steward.kit.db.connection import ConnectionLostError, DatabaseConnection, connect
from steward.kit.db.pool import Pool
from steward.kit.db.sql import sql

ONE = sql("SELECT 1")
_IS_WAITING = "SELECT state = 'active' AND wait_event = 'ClientRead' FROM pg_stat_activity WHERE pid = $1"


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    pool = Pool(database_url, 1)
    yield pool
    await pool.close()


@pytest.fixture
async def caller(database_url: str) -> AsyncIterator[DatabaseConnection]:
    """In a transaction that holds a lock and has not written anything yet."""
    connection = await connect(database_url)
    await connection.begin()
    await connection.execute("SELECT pg_try_advisory_xact_lock(4711)")
    yield connection
    connection.terminate()


async def _is_between(database_url: str, connection: DatabaseConnection) -> None:
    """The server has prepared a statement and waits for the order to run it."""
    await connection.prepare("SELECT 2")
    await _waits_for_its_client(database_url, connection)


async def _waits_for_its_client(database_url: str, connection: DatabaseConnection) -> None:
    pid = connection.get_server_pid()

    async def waits() -> bool:
        [(is_waiting,)] = await fetch_rows(database_url, _IS_WAITING, pid)
        return bool(is_waiting)

    await wait_for_async("the server to wait", waits)


async def test_a_transaction_of_a_silent_client_is_ended(
    database_url: str, pool: Pool, caller: DatabaseConnection
) -> None:
    await _is_between(database_url, caller)
    assert await end_abandoned_transactions(pool, seconds=0) == 1
    with pytest.raises((ConnectionLostError, asyncpg.PostgresConnectionError)):
        await caller.run(ONE)


async def test_a_recently_active_connection_is_not_closed(
    database_url: str, pool: Pool, caller: DatabaseConnection
) -> None:
    await _is_between(database_url, caller)
    assert await end_abandoned_transactions(pool) == 0
    assert (await caller.run(ONE))[0][0] == 1


async def test_an_idle_transaction_is_left_to_the_server(pool: Pool, caller: DatabaseConnection) -> None:
    assert await end_abandoned_transactions(pool, seconds=0) == 0
    assert (await caller.run(ONE))[0][0] == 1


async def test_a_copy_waiting_for_rows_is_not_cancelled(
    database_url: str, pool: Pool, caller: DatabaseConnection
) -> None:
    await caller.execute("CREATE TEMPORARY TABLE restored (line text)")
    looked = asyncio.Event()

    async def rows() -> AsyncIterator[bytes]:
        yield b"first\n"
        await looked.wait()
        yield b"second\n"

    copying = asyncio.create_task(caller.copy_to_table("restored", source=rows()))
    await _waits_for_its_client(database_url, caller)
    assert await end_abandoned_transactions(pool, seconds=0) == 0
    looked.set()
    assert await copying == "COPY 2"
