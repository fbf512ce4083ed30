from collections.abc import Callable, Iterator

import pytest
from tests.support.organizations import Organization, close_clients
from tests.support.processes import ApiProcess
from tests.support.service import Service


@pytest.fixture(scope="session")
def unlimited_api(running_service: Service) -> Iterator[ApiProcess]:
    """An API process that doesn't count requests, and one for all of these tests: starting takes longer than most of them."""
    process = ApiProcess(
        running_service.directory / "api-fuzz.log",
        running_service.database_url,
        STEWARD_KEY_REQUESTS_PER_MINUTE="1000000",
        STEWARD_WEBHOOK_ALLOW_LOCAL="on",
    )
    try:
        process.wait_until_live()
        yield process
    finally:
        process.stop()


@pytest.fixture
def new_unlimited_organization(
    running_service: Service, unlimited_api: ApiProcess
) -> Iterator[Callable[[], Organization]]:
    yield lambda: Organization(unlimited_api.base_url, running_service.database_url, "Enterprise")
    close_clients()


@pytest.fixture
def unlimited_organization(new_unlimited_organization: Callable[[], Organization]) -> Organization:
    return new_unlimited_organization()
