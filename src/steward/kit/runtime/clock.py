"""The one place that reads the wall clock; rules take `now` as an argument."""

import time


def now() -> int:
    """Unix seconds, the unit of every time in the API."""
    return int(time.time())


def now_ms() -> int:
    return time.time_ns() // 1_000_000
