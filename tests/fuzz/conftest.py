from collections.abc import Callable, Iterator

import pytest
from tests.conftest import Service
from tests.support.organizations import Organization, close_clients
from tests.support.processes import ApiProcess


@pytest.fixture(scope="session")
def tireless_api(running_service: Service) -> Iterator[ApiProcess]:
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
def found_tireless(
    running_service: Service, tireless_api: ApiProcess
) -> Iterator[Callable[[], Organization]]:
    yield lambda: Organization(tireless_api.base_url, running_service.database_url, "Enterprise")
    close_clients()


@pytest.fixture
def tireless(found_tireless: Callable[[], Organization]) -> Organization:
    return found_tireless()
