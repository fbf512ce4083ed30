"""Brings deliveries to an end that nobody will send: those of webhooks that were paused, disabled or deleted."""

from steward.delivery.model import WebhookKey
from steward.delivery.queries import END_WAITING
from steward.kit.db import Database
from steward.kit.metrics import DELIVERIES

_AT_ONCE = 1000


async def end_waiting(db: Database, key: WebhookKey, now: int) -> int:
    """Batch after batch, each looking again whether the webhook is still away; returns how many were ended."""
    ended = 0
    while rows := await db.fetch(END_WAITING, *key, now, _AT_ONCE):
        for status, count in rows:
            DELIVERIES.labels(status).inc(count)
            ended += count
    return ended
