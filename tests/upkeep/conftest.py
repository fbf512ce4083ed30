import pytest
from tests.support.organizations import Organization

from .devices import Building


@pytest.fixture
def building(org: Organization) -> Building:
    return Building(org)
