import time

import pytest


@pytest.fixture
def now() -> int:
    return int(time.time())
