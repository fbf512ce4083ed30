"""What only a Citus cluster can show; elsewhere these are skipped. `make citus` runs them."""

import asyncio
from collections.abc import Iterator

import pytest
from tests.support.servers import nodes
from tests.support.service import Service


@pytest.fixture(scope="session")
def cluster_nodes(database_url: str) -> list[str]:
    """The addresses of the tests' database on the coordinator and on its workers."""
    found = asyncio.run(nodes(database_url))
    if not found:
        pytest.skip("the tests' server is no Citus cluster (make citus)")
    return found


@pytest.fixture(scope="module")
def sending_service(
    cluster_nodes: list[str], database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """One whose worker may send to this machine, beside the one of all tests, whose worker sends nothing there."""
    service = Service(
        tmp_path_factory.mktemp("sending"),
        database_url,
        STEWARD_WEBHOOK_ALLOW_LOCAL="on",
        STEWARD_CONNECTIVITY_CHECK_SECONDS="3600",
    )
    yield service
    service.stop()
