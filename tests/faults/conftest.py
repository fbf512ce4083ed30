from collections.abc import Iterator

import pytest
from tests.faults.deployment import Deployment
from tests.support.organizations import close_clients
from tests.support.processes import ApiProcess
from tests.support.service import Service


@pytest.fixture(scope="session")
def running_deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    deployment = Deployment(tmp_path_factory.mktemp("deployment"))
    yield deployment
    deployment.stop()


@pytest.fixture
def deployment(running_deployment: Deployment) -> Iterator[Deployment]:
    yield running_deployment
    close_clients()


@pytest.fixture(scope="session")
def second(running_service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    """A second API process over the database of the shared service."""
    process = ApiProcess(tmp_path_factory.mktemp("second") / "api.log", running_service.database_url)
    process.wait_until_live()
    yield process
    process.stop()
