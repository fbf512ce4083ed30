"""Databases with nothing but assets and their readings: the history belongs to all tenants of one."""

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest
from tests.support.servers import copy_database, make_database, own_name, seal
from tests.telemetry.telemetry_database import TelemetryDatabase

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def empty_history(database_url: str) -> str:
    """The name of a migrated database to make copies of."""
    name = own_name("history")
    asyncio.run(make_database(database_url, name, migrated=True))
    asyncio.run(seal(database_url, name))
    return name


@pytest.fixture
async def database(database_url: str, empty_history: str) -> AsyncIterator[TelemetryDatabase]:
    name = own_name(f"history_{next(_numbers)}")
    opened = await TelemetryDatabase.open(await copy_database(database_url, empty_history, name))
    yield opened
    # It goes with its server: dropping one makes that write everything it has to the disk.
    await opened.close()
