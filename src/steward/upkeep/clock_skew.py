"""What a clock that was ahead has left behind, after it was set back.

A delivery that was claimed or put off by the later clock would wait for hours. It falls due at once instead: it can be told
by a lease longer than any, or by an attempt or a making that lie in the future. A reading arrives by the clock of the database:
where that was ahead, it would not be shown before, so it arrived now. Both are looked for only when something says that the
clock was set back: this process has seen it, a process has left a mark, or one of before has given its last sign of life in
the future.
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
        self._mended = wall.set_backs
        self._look_again = False

    async def mend(self, db: Database, now_ms: int) -> int:
        """Returns how many deliveries fall due now that would have waited."""
        set_backs, later = self._wall.set_backs, (now_ms + SKEW_MS) // 1000
        noticed = set_backs != self._mended or await any_seen_after(db, later)
        if not noticed and not self._look_again:
            return 0
        found = await make_future_due(db, now_ms, now_ms + SKEW_MS)
        async with db.transaction() as tx:
            await arrive_now(tx, now_ms // 1000)
        await forget_seen_after(db, later)
        # What was under way by the later time may be written only after this.
        self._mended, self._look_again = set_backs, noticed
        log.warning("the clock was set back; what waited for later is done now", deliveries=found)
        return found
