"""Databases of a benchmark's server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from tests.support.databases import database_named, fetch_rows, run_commands

from steward.kit.db.connection import connect
from steward.kit.db.pool import Pool
from steward.wiring.schema import migrate


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def pooled(url: str, size: int = 2) -> AsyncIterator[Pool]:
    """For preparations, whose statements may take long."""
    pool = Pool(url, size, seconds=600)
    try:
        yield pool
    finally:
        await pool.close()


async def prepared(url: str, statement: str) -> Any:
    """On a connection of its own. One that has only prepared something counts as active, and a worker ends those that say nothing for
    ten seconds: so it also runs something."""
    connection = await connect(url, seconds=600)
    made = await connection.prepare(statement)
    await connection.execute("SELECT 1")
    return made


async def make_database(server_url: str, name: str) -> str:
    """Another one on the same server, with the tables of the service; its URL."""
    await fetch_rows(server_url, f"CREATE DATABASE {name}")
    url = database_named(server_url, name)
    await migrate(url)
    return url


def tidy(url: str) -> None:
    """Vacuums now, so that what one scenario left behind is not vacuumed in the middle of the next."""
    asyncio.run(run_commands(url, "VACUUM (ANALYZE)", "CHECKPOINT"))
