"""Faults: databases that hang, disks that are full, processes that are killed. They have a time of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.deployment import Deployment
from tests.support.organizations import close_clients


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def running_deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    deployment = Deployment(tmp_path_factory.mktemp("deployment"))
    yield deployment
    deployment.stop()


@pytest.fixture
def deployment(running_deployment: Deployment) -> Iterator[Deployment]:
    yield running_deployment
    close_clients()
