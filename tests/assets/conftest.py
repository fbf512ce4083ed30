import pytest
from tests.assets.simulated_devices import SimulatedDevices
from tests.support.organizations import Organization


@pytest.fixture
def devices(organization: Organization) -> SimulatedDevices:
    return SimulatedDevices(organization)
