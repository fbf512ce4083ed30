import asyncio
import os
import time
from collections.abc import AsyncIterator

import asyncpg
import pytest
from tests.support.databases import database_named
from tests.telemetry.telemetry_database import TelemetryDatabase

from steward.wiring.schema import migrate


@pytest.fixture
def now() -> int:
    return int(time.time())


async def _create(url: str, name: str) -> None:
    admin = await asyncpg.connect(url)
    await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.close()
    await migrate(database_named(url, name))


@pytest.fixture
async def own_database(database_url: str) -> AsyncIterator[TelemetryDatabase]:
    """One that no worker looks after."""
    name = f"commands_{os.getpid()}"
    await asyncio.create_task(_create(database_url, name))
    opened = await TelemetryDatabase.open(database_named(database_url, name))
    yield opened
    await opened.close()
