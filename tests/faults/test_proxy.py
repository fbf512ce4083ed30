"""The proxy that the other tests break connections with does what it says."""

import asyncio
from collections.abc import Iterator

import asyncpg
import pytest
from tests.support.proxy import FaultProxy
from tests.support.waiting import limit


@pytest.fixture
def proxy(database_url: str) -> Iterator[FaultProxy]:
    with FaultProxy.before(database_url) as proxy:
        yield proxy


async def test_a_paused_connection_resumes_and_a_dropped_one_does_not(
    proxy: FaultProxy, database_url: str
) -> None:
    connection = await asyncpg.connect(proxy.url(database_url))
    assert await connection.fetchval("SELECT 1") == 1
    proxy.mode = "hole"
    asked = asyncio.ensure_future(connection.fetchval("SELECT 2"))
    # Time that passes without an answer; no machine is so fast or so slow that one comes.
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(asked), 0.2)
    with pytest.raises(TimeoutError):
        await asyncpg.connect(proxy.url(database_url), timeout=0.2)
    proxy.mode = "pass"
    assert await asyncio.wait_for(asked, limit(60)) == 2
    proxy.strand()
    asked = asyncio.ensure_future(connection.fetchval("SELECT 3"))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(asked), 0.2)
    connection.terminate()
    with pytest.raises(asyncpg.PostgresConnectionError):
        await asked
    other = await asyncpg.connect(proxy.url(database_url))
    await other.close()


async def test_refused_connections_end_at_once(proxy: FaultProxy, database_url: str) -> None:
    connection = await asyncpg.connect(proxy.url(database_url))
    proxy.mode = "refuse"
    with pytest.raises((OSError, asyncpg.PostgresConnectionError)):
        await connection.fetchval("SELECT 1")
    with pytest.raises(OSError):
        await asyncpg.connect(proxy.url(database_url))
    proxy.mode = "pass"
    connection = await asyncpg.connect(proxy.url(database_url))
    await connection.close()
