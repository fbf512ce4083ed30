"""Repairs clock skew: what was written while a clock was ahead, after it has been set back.

A delivery that was claimed or put off by the clock ahead would wait for hours. It is made due at once: it has a lease longer than
any, or an attempt or a creation in the future. Readings arrive by the clock of the database: if that was ahead, they would not be
shown until then, so they are moved to now. Both are searched only if there is a sign that a clock was set back: this process saw
it, a process left a mark, or the last heartbeat of one lies in the future.
"""

from steward.kit.coordination.processes import any_seen_after, forget_seen_after
from steward.kit.db.pool import Database
from steward.kit.runtime.clock import SKEW_MS, WALL, WallClock
from steward.kit.runtime.log import log
from steward.telemetry.queries import arrive_now
from steward.webhook_delivery.jobs import make_future_due

CHECK_SECONDS = 5


class ClockSkew:
    def __init__(self, wall: WallClock = WALL) -> None:
        self._wall = wall
        self._repaired = wall.set_backs
        self._look_again = False

    async def repair(self, db: Database, now_ms: int) -> int:
        """Returns how many deliveries were made due now."""
        set_backs, later = self._wall.set_backs, (now_ms + SKEW_MS) // 1000
        noticed = set_backs != self._repaired or await any_seen_after(db, later)
        if not noticed and not self._look_again:
            return 0
        found = await make_future_due(db, now_ms, now_ms + SKEW_MS)
        async with db.transaction() as tx:
            await arrive_now(tx, now_ms // 1000)
        await forget_seen_after(db, later)
        # Statements in flight may still write the later time after this.
        self._repaired, self._look_again = set_backs, noticed
        log.warning("clock was set back; deliveries for later are due now", deliveries=found)
        return found
