"""The demo organization for whoever walks through a tutorial, and a browser."""

import asyncio
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from tests.demo.seeded import SeededDemo
from tests.support.chromium import launched
from tests.support.servers import drop_database, make_database, own_name
from tests.support.service import Service


@pytest.fixture(scope="package")
def demo(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeededDemo]:
    """One of its own: a walk changes it."""
    url = asyncio.run(make_database(database_url, own_name("tutorial"), migrated=True))
    directory = tmp_path_factory.mktemp("tutorial")
    demo = SeededDemo.seed(url, directory)
    service = Service(directory, url)
    demo.base_url = service.base_url
    try:
        yield demo
    finally:
        demo.close()
        service.stop()
        asyncio.run(drop_database(database_url, own_name("tutorial")))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser
