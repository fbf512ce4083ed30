import asyncio
from collections.abc import Callable, Iterator

import asyncpg
import pytest
from tests.support.databases import database_named
from tests.support.organizations import Organization, close_clients
from tests.support.processes import ApiProcess

# Every slice registers its event types when it is imported; the tests expand groups of them in this process.
import steward.wiring.routes  # noqa: F401
from steward.wiring.schema import migrate


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(scope="session")
def quiet_url(database_url: str) -> Iterator[str]:
    """A database that no worker looks into."""
    asyncio.run(_execute(database_url, "DROP DATABASE IF EXISTS quiet", "CREATE DATABASE quiet"))
    url = database_named(database_url, "quiet")
    asyncio.run(migrate(url))
    yield url
    asyncio.run(_execute(database_url, "DROP DATABASE quiet WITH (FORCE)"))


@pytest.fixture(scope="session")
def quiet_api(tmp_path_factory: pytest.TempPathFactory, quiet_url: str) -> Iterator[ApiProcess]:
    api = ApiProcess(tmp_path_factory.mktemp("quiet") / "api.log", quiet_url)
    try:
        api.wait_until_live()
        yield api
    finally:
        api.stop()


@pytest.fixture
def new_organization(quiet_api: ApiProcess, quiet_url: str) -> Iterator[Callable[[], Organization]]:
    """Founds organizations whose deliveries nobody sends: they stay as they were written."""
    yield lambda: Organization(quiet_api.base_url, quiet_url, "Enterprise")
    close_clients()
