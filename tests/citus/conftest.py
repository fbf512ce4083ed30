"""What only a Citus cluster can show; elsewhere these are skipped. `make citus` runs them."""

import asyncio
from collections.abc import Iterator

import pytest
from tests.support.servers import drop_database, make_database, nodes, own_name
from tests.support.service import Service


@pytest.fixture(scope="session")
def cluster_nodes(database_url: str) -> list[str]:
    """The addresses of the tests' database on the coordinator and on its workers."""
    found = asyncio.run(nodes(database_url))
    if not found:
        pytest.skip("the server is no Citus cluster: make citus")
    return found


@pytest.fixture(scope="module")
def sending_service(
    cluster_nodes: list[str], database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """One whose worker may send to this machine, with a database of its own: the worker of all tests would refuse to."""
    name = own_name("sending")
    service = Service(
        tmp_path_factory.mktemp("sending"),
        asyncio.run(make_database(database_url, name, migrated=True)),
        STEWARD_WEBHOOK_ALLOW_LOCAL="on",
        STEWARD_CONNECTIVITY_CHECK_SECONDS="3600",
    )
    yield service
    service.stop()
    asyncio.run(drop_database(database_url, name))
