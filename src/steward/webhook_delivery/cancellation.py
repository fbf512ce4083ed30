"""Brings deliveries to an end that nobody will send: those of webhooks that were paused, disabled or deleted."""

from functools import partial

from steward.kit.db.pool import Database
from steward.kit.runtime.drain import drain
from steward.webhook_delivery import queries
from steward.webhook_delivery.metrics import DELIVERIES
from steward.webhook_delivery.model import WebhookKey

_BATCH_SIZE = 1000


async def cancel_waiting(db: Database, key: WebhookKey, now: int) -> int:
    """Batch after batch, each looking again whether the webhook is still away; returns how many were ended."""
    return await drain(partial(_cancel_batch, db, key, now), batch_size=_BATCH_SIZE)


async def _cancel_batch(db: Database, key: WebhookKey, now: int) -> int:
    cancelled = await queries.cancel_waiting(db, key, now, _BATCH_SIZE)
    for status, count in cancelled.items():
        DELIVERIES.labels(status).inc(count)
    return sum(cancelled.values())
