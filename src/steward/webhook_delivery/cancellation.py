"""Brings deliveries to an end that nobody will send: those of webhooks that were paused, disabled or deleted."""

from steward.kit.db.pool import Database
from steward.webhook_delivery.metrics import DELIVERIES
from steward.webhook_delivery.model import WebhookKey
from steward.webhook_delivery.queries import END_WAITING

_BATCH_SIZE = 1000


async def end_waiting(db: Database, key: WebhookKey, now: int) -> int:
    """Batch after batch, each looking again whether the webhook is still away; returns how many were ended."""
    ended = 0
    while rows := await db.fetch(END_WAITING, *key, now, _BATCH_SIZE):
        for status, count in rows:
            DELIVERIES.labels(status).inc(count)
            ended += count
    return ended
