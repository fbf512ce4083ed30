import time
from collections.abc import AsyncIterator

import pytest
from tests.support.servers import make_database, own_name
from tests.telemetry.telemetry_database import TelemetryDatabase


@pytest.fixture
def now() -> int:
    return int(time.time())


@pytest.fixture
async def own_database(database_url: str) -> AsyncIterator[TelemetryDatabase]:
    """One without a worker."""
    made = await make_database(database_url, own_name("commands"), migrated=True)
    opened = await TelemetryDatabase.open(made)
    yield opened
    await opened.close()
