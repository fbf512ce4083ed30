import asyncio
from collections.abc import Iterator

import pytest
from tests.plans.crowd import ROWS, fill_all, large_tables
from tests.support.databases import database_named, run_commands


@pytest.fixture(scope="session")
def crowded_url(database_url: str) -> Iterator[str]:
    """A database in which every list is long."""
    asyncio.run(run_commands(database_url, "DROP DATABASE IF EXISTS plans", "CREATE DATABASE plans"))
    url = database_named(database_url, "plans")
    fill_all(url, dict.fromkeys(large_tables(), ROWS))
    yield url
    asyncio.run(run_commands(database_url, "DROP DATABASE plans WITH (FORCE)"))
