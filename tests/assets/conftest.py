import pytest
from tests.assets.devices import Building
from tests.assets.house import House
from tests.support.organizations import Organization


@pytest.fixture
def house(org: Organization) -> House:
    return House(org)


@pytest.fixture
def building(org: Organization) -> Building:
    return Building(org)
