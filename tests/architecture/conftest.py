import asyncio
from collections.abc import Iterator

import pytest
from tests.support.servers import drop_database, make_database, own_name

from steward.wiring.schema import migrate


@pytest.fixture(scope="session")
def migrated_url(database_url: str) -> Iterator[str]:
    """A database with our schema and nothing else: not spread, and without the catalogues of a cluster."""
    name = own_name("schema")
    url = asyncio.run(make_database(database_url, name))
    asyncio.run(migrate(url))
    yield url
    asyncio.run(drop_database(database_url, name))
