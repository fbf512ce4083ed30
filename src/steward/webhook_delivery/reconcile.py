"""No delivery without an end or a next time: looks for those that have neither, counts them and puts them right.

Nothing here should ever find work, save for webhooks that were deleted. A lease whose worker died is no case for it: such a
delivery falls due by itself.
"""

from collections.abc import Iterable

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.runtime import clock
from steward.kit.runtime.log import log
from steward.webhook_delivery.cancellation import end_waiting
from steward.webhook_delivery.metrics import DELIVERIES_MENDED

_BATCH_SIZE = 1000

ALL_TENANTS = sql("SELECT id FROM organizations", across="the worker looks after all tenants")

_MEND_LOST = sql(
    """WITH lost AS MATERIALIZED (
           SELECT d.id FROM deliveries d
           WHERE d.organization_id = $1 AND d.due IS NULL AND d.status IN ('pending', 'retrying')
           LIMIT $3
           FOR UPDATE SKIP LOCKED
       ), mended AS (
           UPDATE deliveries AS dd SET due = $2, lease_until = NULL FROM lost
           WHERE dd.organization_id = $1 AND dd.id = lost.id
           RETURNING dd.id
       )
       SELECT count(*) FROM mended"""
)

# From webhook to webhook through the index, however many deliveries wait for each.
_WAITING_FOR_NOBODY = sql(
    """WITH RECURSIVE waited_for AS (
           (SELECT d.webhook_id FROM deliveries d
            WHERE d.organization_id = $1 AND d.due IS NOT NULL ORDER BY d.webhook_id LIMIT 1)
           UNION ALL
           SELECT next.webhook_id FROM waited_for CROSS JOIN LATERAL (
               SELECT d.webhook_id FROM deliveries d
               WHERE d.organization_id = $1 AND d.due IS NOT NULL AND d.webhook_id > waited_for.webhook_id
               ORDER BY d.webhook_id LIMIT 1) next
       )
       SELECT waited_for.webhook_id FROM waited_for
       WHERE NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.organization_id = $1 AND w.id = waited_for.webhook_id)"""
)


async def reconcile(db: Database, organizations: Iterable[str] | None = None) -> None:
    """Of these organizations, or of all."""
    if organizations is None:
        organizations = [row[0] for row in await db.fetch(ALL_TENANTS)]
    for organization in organizations:
        while mended := await db.fetchval(_MEND_LOST, organization, clock.now_ms(), _BATCH_SIZE):
            DELIVERIES_MENDED.labels("no_next_time").inc(mended)
            log.error("deliveries had no next time", organization=organization, count=mended)
        for (webhook_id,) in await db.fetch(_WAITING_FOR_NOBODY, organization):
            ended = await end_waiting(db, (organization, webhook_id), clock.now_ms())
            DELIVERIES_MENDED.labels("webhook_deleted").inc(ended)
