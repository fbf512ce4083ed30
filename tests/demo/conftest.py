"""One demo organization for all tests here, in a database of its own with the service over it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.demo.seeded import SeededDemo
from tests.support.databases import database_named, run_commands
from tests.support.service import Service

from steward.wiring.schema import migrate


@pytest.fixture(scope="package")
def seeded(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeededDemo]:
    asyncio.run(run_commands(database_url, "CREATE DATABASE demo"))
    url = database_named(database_url, "demo")
    directory: Path = tmp_path_factory.mktemp("demo")
    asyncio.run(migrate(url))
    demo = SeededDemo.seed(url, directory)
    service = Service(directory, url)
    demo.base_url = service.base_url
    try:
        yield demo
    finally:
        demo.close()
        service.stop()
        asyncio.run(run_commands(database_url, "DROP DATABASE demo WITH (FORCE)"))
