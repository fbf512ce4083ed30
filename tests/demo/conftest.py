"""One demo organization for all tests here, in a database of its own with the service over it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.demo.seeded import SeededDemo
from tests.support.servers import drop_database, make_database, own_name
from tests.support.service import Service


@pytest.fixture(scope="package")
def seeded(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeededDemo]:
    url = asyncio.run(make_database(database_url, own_name("demo"), migrated=True))
    directory: Path = tmp_path_factory.mktemp("demo")
    demo = SeededDemo.seed(url, directory)
    service = Service(directory, url)
    demo.base_url = service.base_url
    try:
        yield demo
    finally:
        demo.close()
        service.stop()
        asyncio.run(drop_database(database_url, own_name("demo")))
