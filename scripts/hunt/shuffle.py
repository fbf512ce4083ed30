"""A plugin of pytest that runs files, and the tests of a file, in the order that HUNT_SEED draws."""

import os
import random
from itertools import groupby

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Each process of xdist has to find the same order.
    chance = random.Random(os.environ["HUNT_SEED"])
    by_file = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    chance.shuffle(by_file)
    for tests in by_file:
        chance.shuffle(tests)
    items[:] = [test for tests in by_file for test in tests]
