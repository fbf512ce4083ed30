"""The demo organization for the tutorials, and a browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from tests.demo.seeded import SeededDemo, running_demo
from tests.support.chromium import launched


@pytest.fixture(scope="package")
def demo(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeededDemo]:
    """One of its own: a walk changes it."""
    with running_demo(database_url, tmp_path_factory.mktemp("tutorial"), "tutorial") as demo:
        yield demo


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser
