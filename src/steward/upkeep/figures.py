"""Metrics that take a query of their own. Each query costs the same, however much is stored and for how many tenants."""

import time
from collections import deque
from collections.abc import Callable

from steward.events.feed.queries import running_transactions
from steward.kit.db.partitions import partitions_until
from steward.kit.db.pool import Database
from steward.kit.runtime import clock
from steward.upkeep.metrics import FEED_HELD_BACK, PARTITIONS_AHEAD

PARTITIONS_SECONDS = 60
FEED_SECONDS = 15
# How many samples are kept; the delay shown is at most as long as they reach back.
_MAX_SAMPLES = 10_000


class FeedDelay:
    """How long the feed has been held back, without reading other sessions: each sample remembers which transactions had ended by
    then. The feed is behind since the first sample in which one had ended that is newer than the oldest open one."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._samples: deque[tuple[float, int]] = deque(maxlen=_MAX_SAMPLES)

    async def look(self, db: Database) -> None:
        FEED_HELD_BACK.set(self.seconds(*await running_transactions(db)))

    def seconds(self, oldest: int, following: int) -> float:
        """Too low by at most the time between two samples. `oldest` is the lowest open transaction number, `following` the one after
        the highest ended one."""
        now = self._now()
        self._samples.append((now, following))
        while self._samples and self._samples[0][1] <= oldest:
            self._samples.popleft()
        return now - self._samples[0][0] if self._samples else 0.0


async def show_partitions(db: Database) -> None:
    now = clock.now()
    for table, until in (await partitions_until(db, now)).items():
        PARTITIONS_AHEAD.labels(table).set(until - now)
