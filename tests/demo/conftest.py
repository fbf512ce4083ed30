"""One demo organization for all tests here, in a database of its own with the service over it."""

from collections.abc import Iterator

import pytest
from tests.demo.seeded import SeededDemo, running_demo


@pytest.fixture(scope="package")
def seeded(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeededDemo]:
    with running_demo(database_url, tmp_path_factory.mktemp("demo"), "demo") as demo:
        yield demo
