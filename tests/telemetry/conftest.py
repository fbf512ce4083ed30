"""Databases with nothing but assets and their readings: the history belongs to all tenants of one."""

import itertools
from collections.abc import AsyncIterator

import pytest
from tests.support.servers import make_database, own_name
from tests.telemetry.telemetry_database import TelemetryDatabase

_numbers = itertools.count(1)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[TelemetryDatabase]:
    name = own_name(f"history_{next(_numbers)}")
    opened = await TelemetryDatabase.open(await make_database(database_url, name, migrated=True))
    yield opened
    # It goes with its server: dropping one makes that write everything it has to the disk.
    await opened.close()
