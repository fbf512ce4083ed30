"""Sees whether deliveries are taken care of: what waits past its time, for the metrics and for the health check.

That a receiver is slow or dead is its own affair. What is ours is a webhook with deliveries past their time of which none is
under way, look after look: then no worker does its work.
"""

from collections.abc import Callable

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.runtime import clock
from steward.webhook_delivery.metrics import DELIVERIES_OLDEST_DUE, DELIVERIES_PAST_DUE
from steward.webhook_delivery.model import WebhookKey

LOOK_SECONDS = 5
# A webhook counts as neglected after so long without anything under way.
_NEGLECTED_MS = 60_000

_PAST_DUE = sql(
    """SELECT w.organization_id, w.id, late.oldest, late.count,
              EXISTS (SELECT 1 FROM deliveries l WHERE l.organization_id = w.organization_id AND l.webhook_id = w.id
                                                       AND l.lease_until > $1) AS busy
       FROM webhooks w CROSS JOIN LATERAL (
           SELECT min(waiting.due) AS oldest, count(*) AS count FROM (
               (SELECT d.due FROM deliveries d
                WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id AND d.status = 'pending'
                      AND d.due <= $1 ORDER BY d.due LIMIT 1000)
               UNION ALL
               (SELECT d.due FROM deliveries d
                WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id AND d.status = 'retrying'
                      AND d.due <= $1 ORDER BY d.due LIMIT 1000)) waiting) late
       WHERE w.status = 'active' AND late.count > 0""",
    across="the worker's figures are about all tenants",
)
_REPORT = sql("UPDATE processes SET oldest_due = $2 WHERE id = $1")


class OverdueDeliveries:
    """Looks from outside of the engine, so that it also sees when that stands still."""

    def __init__(self, process: Callable[[], str], *, first_wait_ms: int = 0) -> None:
        self._process = process
        self._first_wait_ms = first_wait_ms
        self._neglected_since: dict[WebhookKey, int] = {}

    async def look(self, db: Database) -> None:
        now = clock.now_ms()
        rows = await db.fetch(_PAST_DUE, now - self._first_wait_ms)
        DELIVERIES_PAST_DUE.set(sum(row["count"] for row in rows))
        DELIVERIES_OLDEST_DUE.set((now - min((row["oldest"] for row in rows), default=now)) / 1000)
        idle = {(row[0], row[1]): row["oldest"] for row in rows if not row["busy"]}
        await db.execute(_REPORT, self._process(), self._oldest_neglected(idle, now))

    def _oldest_neglected(self, idle: dict[WebhookKey, int], now: int) -> int | None:
        # Never from a time to come: the clock may have been set back.
        self._neglected_since = {key: min(now, self._neglected_since.get(key, now)) for key in idle}
        neglected = (
            idle[key] for key, since in self._neglected_since.items() if since <= now - _NEGLECTED_MS
        )
        return min(neglected, default=None)
