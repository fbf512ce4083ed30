"""What a clock that was ahead has left behind, after it was set back.

A delivery that was claimed or put off by the later clock would wait for hours. It falls due at once instead: it can be told
by a lease longer than any, or by an attempt or a making that lie in the future. A reading that arrived in the future would not
be shown before: it arrived now. Both are looked for only when something says that the clock was set back: this process has
seen it, a process has left a mark, or one of before has given its last sign of life in the future.
"""

import time
from collections.abc import Callable

from steward.kit.db.pool import Database
from steward.kit.runtime import clock
from steward.kit.runtime.cache_invalidation import SKEW_SECONDS
from steward.kit.runtime.log import log
from steward.kit.runtime.processes import any_seen_after, forget_seen_after
from steward.telemetry.queries import arrive_now
from steward.webhook_delivery.jobs import make_future_due

CHECK_SECONDS = 5
SKEW_MS = SKEW_SECONDS * 1000


def set_back(before: int, after: int) -> bool:
    """Whether the wall clock has lost time; both are how far it was ahead of the one that never goes back."""
    return after < before - SKEW_MS


class ClockSkew:
    def __init__(self, ahead_ms: Callable[[], int] | None = None) -> None:
        self._ahead_ms = ahead_ms or _ahead_ms
        self._ahead = self._ahead_ms()

    async def mend(self, db: Database, now_ms: int) -> int:
        """Returns how many deliveries fall due now that would have waited."""
        before, self._ahead = self._ahead, self._ahead_ms()
        later = (now_ms + SKEW_MS) // 1000
        if not set_back(before, self._ahead) and not await any_seen_after(db, later):
            return 0
        mended = await make_future_due(db, now_ms, now_ms + SKEW_MS)
        await arrive_now(db, now_ms // 1000)
        await forget_seen_after(db, later)
        log.warning("the clock was set back; what waited for later is done now", deliveries=mended)
        return mended


def _ahead_ms() -> int:
    return clock.now_ms() - int(time.monotonic() * 1000)
