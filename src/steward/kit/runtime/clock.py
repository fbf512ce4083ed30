"""The one place that reads the wall clock; rules take `now` as an argument.

A clock may be set back. Whoever has written something by the later time has read it here, so that none of it goes unnoticed.
"""

import time
from collections.abc import Callable

# So far the clocks of two machines may be apart.
SKEW_SECONDS = 60
SKEW_MS = SKEW_SECONDS * 1000


def _read_ms() -> int:
    return time.time_ns() // 1_000_000


class WallClock:
    """`set_backs` counts how often it has lost more time than clocks may be apart; `latest_ms` is what it showed before."""

    def __init__(self, read_ms: Callable[[], int] = _read_ms) -> None:
        self.set_backs = 0
        self.latest_ms = 0
        self._read_ms = read_ms
        self._last_ms = 0

    def now_ms(self) -> int:
        now_ms = self._read_ms()
        if now_ms < self._last_ms - SKEW_MS:
            self.set_backs += 1
            self.latest_ms = self._last_ms
        self._last_ms = now_ms
        return now_ms


WALL = WallClock()
now_ms = WALL.now_ms


def now() -> int:
    """Unix seconds, the unit of every time in the API."""
    return now_ms() // 1000
