import pytest
from tests.conftest import Service
from tests.support.organizations import Organization

__all__ = ["founded_for_refusals", "house"]


@pytest.fixture(scope="module")
def founded_for_refusals(running_service: Service) -> Organization:
    return Organization(running_service.base_url, running_service.database_url, "Enterprise")


@pytest.fixture
def house(service: Service, founded_for_refusals: Organization) -> Organization:
    """An organization that a module's tables of refusals share: what is refused changes nothing in it."""
    founded_for_refusals.api = founded_for_refusals.client(key=founded_for_refusals.secret)
    return founded_for_refusals
