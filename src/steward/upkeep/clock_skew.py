"""What a clock that was ahead has left behind, after it was set back.

A delivery that was claimed or put off by the later clock would wait for hours. It falls due at once instead: it can be told
by a lease longer than any, or by an attempt or a making that lie in the future. A reading that arrived in the future would not
be shown before: it arrived now. Both are looked for only when something says that the clock was set back: this process has
seen it, a process has left a mark, or one of before has given its last sign of life in the future.
"""

import time
from collections.abc import Callable

from steward.kit.db.partitions import HOUR_SECONDS, first_id
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.runtime import clock
from steward.kit.runtime.cache_invalidation import SKEW_SECONDS
from steward.kit.runtime.log import log
from steward.webhook_delivery.model import LEASE_MS
from steward.webhook_delivery.reconcile import ALL_TENANTS

LOOK_SECONDS = 5
SKEW_MS = SKEW_SECONDS * 1000
_BATCH_SIZE = 1000

# Those that hold a lease are there, whatever their clock says.
_FROM_LATER = "seen > $1 AND (kind = 'worker' OR lease_until < now())"
_ANY_FROM_LATER = sql(f"SELECT EXISTS (SELECT 1 FROM processes WHERE {_FROM_LATER})")  # noqa: S608 (our own)
_FORGET_FROM_LATER = sql(f"DELETE FROM processes WHERE {_FROM_LATER}")  # noqa: S608

_FALL_DUE = sql(
    """WITH later AS MATERIALIZED (
           SELECT d.id FROM deliveries d
           WHERE d.organization_id = $1 AND d.due > $3 AND d.status IN ('pending', 'retrying')
                 AND (d.lease_until > $4
                      OR d.lease_until IS NULL
                         AND (d.id > $5
                              OR EXISTS (SELECT 1 FROM delivery_attempts a
                                         WHERE a.organization_id = $1 AND a.delivery_id = d.id AND a.started > $3)))
           LIMIT $6
           FOR UPDATE SKIP LOCKED
       ), mended AS (
           UPDATE deliveries AS dd SET due = $2, lease_until = NULL, claimed_by = NULL FROM later
           WHERE dd.organization_id = $1 AND dd.id = later.id
           RETURNING dd.id
       )
       SELECT count(*) FROM mended"""
)

# Readings are read up to the hour after this one.
_ARRIVE_NOW = sql(
    "UPDATE telemetry_recent SET arrived = $1::integer WHERE arrived > $1::integer + 1",
    across="the clock was ahead for every tenant's devices",
)


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
        if not set_back(before, self._ahead) and not await db.fetchval(_ANY_FROM_LATER, later):
            return 0
        mended = 0
        for (organization,) in await db.fetch(ALL_TENANTS):
            mended += await _fall_due(db, organization, now_ms)
            db.notify(organization)
        await db.execute(_ARRIVE_NOW, now_ms // 1000 // HOUR_SECONDS)
        await db.execute(_FORGET_FROM_LATER, later)
        log.warning("the clock was set back; what waited for later is done now", deliveries=mended)
        return mended


async def _fall_due(db: Database, organization: str, now_ms: int) -> int:
    later, total = now_ms + SKEW_MS, 0
    while mended := await db.fetchval(
        _FALL_DUE,
        organization,
        now_ms,
        later,
        later + LEASE_MS,
        first_id("dlv", later // 1000),
        _BATCH_SIZE,
    ):
        total += mended
    return total


def _ahead_ms() -> int:
    return clock.now_ms() - int(time.monotonic() * 1000)
