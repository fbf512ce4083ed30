"""Databases with nothing but assets and their readings: the history belongs to all tenants of one."""

import asyncio
import itertools
from collections.abc import AsyncIterator

import asyncpg
import pytest
from tests.support.databases import database_named
from tests.telemetry.telemetry_database import TelemetryDatabase

from steward.wiring.schema import migrate

_numbers = itertools.count(1)


async def _run(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


@pytest.fixture(scope="session")
def empty_history(database_url: str) -> str:
    """The name of a migrated database to make copies of."""
    name = "history"
    asyncio.run(_run(database_url, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}"))
    asyncio.run(migrate(database_named(database_url, name)))
    return name


@pytest.fixture
async def database(database_url: str, empty_history: str) -> AsyncIterator[TelemetryDatabase]:
    name = f"history_{next(_numbers)}"
    await _run(database_url, f"CREATE DATABASE {name} TEMPLATE {empty_history}")
    opened = await TelemetryDatabase.open(database_named(database_url, name))
    yield opened
    # It goes with its server: dropping one makes that write everything it has to the disk.
    await opened.close()
