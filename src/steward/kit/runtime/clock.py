"""The one place that says what time it is; rules take `now` as an argument.

It is the database's clock, which all processes share: so records of several machines are in the order in which they were made, and
all processes agree on what is due, even if the clock of a machine is wrong. Each renewal of a lease asks for it (about once a second);
in between, the monotonic clock carries it on. A process that hasn't asked yet, such as a command, goes by the clock of its machine.

The database's clock may be set back. What was written by the later time was read here before, so `WallClock` notices it.
"""

import threading
import time
from collections.abc import Callable

# So far the clocks of two machines may be apart.
SKEW_SECONDS = 60
SKEW_MS = SKEW_SECONDS * 1000


def monotonic_us() -> int:
    return time.monotonic_ns() // 1000


class DatabaseClock:
    def __init__(self) -> None:
        # What to add to the monotonic clock to get the database's, in microseconds.
        self._offset: int | None = None
        self._lock = threading.Lock()
        self._latest = 0

    def read_us(self) -> int:
        return time.time_ns() // 1000 if self._offset is None else monotonic_us() + self._offset

    def next_us(self) -> int:
        """Later than all that were returned before, even if the clock stands still or is set back."""
        with self._lock:
            self._latest = max(self.read_us(), self._latest + 1)
            return self._latest

    def agree(self, shown_us: int, sent_us: int) -> None:
        """`shown_us` is what the database answered to a question sent at `sent_us` by the monotonic clock. The answer took some time,
        so the right offset lies between two bounds: the present one is kept if it does, too."""
        least, most = shown_us - monotonic_us(), shown_us - sent_us
        if self._offset is None:
            # What this machine's own clock gave before may be hours ahead; identifiers need not be later than that.
            self._offset, self._latest = most, 0
        self._offset = min(max(self._offset, least), most)


DATABASE = DatabaseClock()
now_us = DATABASE.read_us


class WallClock:
    """`set_backs` counts how often it has lost more time than clocks may be apart; `latest_ms` is what it showed before."""

    def __init__(self, read_ms: Callable[[], int] = lambda: now_us() // 1000) -> None:
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
