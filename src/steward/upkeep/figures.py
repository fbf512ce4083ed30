"""Looks at what nobody else looks at, for the metrics. Each look costs the same, however much is stored and for how many."""

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
# Looks that are remembered: what has been open for longer is told as this old.
_MOST_LOOKS = 10_000


class FeedDelay:
    """For how long the feed has been held back, without looking at anybody's session: every look remembers which transactions were
    over by then. From the first at which one was over that is newer than the oldest open one, the feed is behind."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._looks: deque[tuple[float, int]] = deque(maxlen=_MOST_LOOKS)

    async def look(self, db: Database) -> None:
        FEED_HELD_BACK.set(self.seconds(*await running_transactions(db)))

    def seconds(self, oldest: int, following: int) -> float:
        """Too little by no more than the time between two looks. `oldest` is the lowest number that is open, `following` the one
        after the highest that is over."""
        now = self._now()
        self._looks.append((now, following))
        while self._looks and self._looks[0][1] <= oldest:
            self._looks.popleft()
        return now - self._looks[0][0] if self._looks else 0.0


async def show_partitions(db: Database) -> None:
    now = clock.now()
    for table, until in (await partitions_until(db, now)).items():
        PARTITIONS_AHEAD.labels(table).set(until - now)
