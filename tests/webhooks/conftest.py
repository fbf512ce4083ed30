import asyncio
from collections.abc import Callable, Iterator

import pytest
from tests.support.organizations import Organization, close_clients
from tests.support.processes import ApiProcess
from tests.support.servers import drop_database, make_database, own_name

# Every slice registers its event types when it is imported; the tests expand groups of them in this process.
import steward.wiring.routes  # noqa: F401


@pytest.fixture(scope="session")
def quiet_url(database_url: str) -> Iterator[str]:
    """A database that no worker looks into."""
    yield asyncio.run(make_database(database_url, own_name("quiet"), migrated=True))
    asyncio.run(drop_database(database_url, own_name("quiet")))


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
