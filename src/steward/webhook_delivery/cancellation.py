"""Ends the waiting deliveries of webhooks that were paused, disabled or deleted."""

import asyncio
from functools import partial

from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Database
from steward.kit.jobs.drain import drain
from steward.kit.runtime import clock
from steward.webhook_delivery import queries
from steward.webhook_delivery.metrics import DELIVERIES
from steward.webhook_delivery.model import WebhookKey

_BATCH_SIZE = 1000
_INTERVAL_SECONDS = 0.25


async def cancel_in_turn(db: Database, keys: set[WebhookKey]) -> None:
    """Beside the engine, which adds to `keys`; until cancelled."""
    while True:
        await asyncio.sleep(_INTERVAL_SECONDS)
        while keys:
            key = keys.pop()
            try:
                await drain(partial(_cancel_batch, db, key, clock.now_ms()), batch_size=_BATCH_SIZE)
            except Exception as error:  # noqa: BLE001 (it is found again with the next look)
                FAULT_LOG.report("waiting deliveries can't be ended", error, webhook=key[1])


async def _cancel_batch(db: Database, key: WebhookKey, now: int) -> int:
    """Each checks again that the webhook takes none; returns how many were ended."""
    cancelled = await queries.cancel_waiting(db, key, now, _BATCH_SIZE)
    for status, count in cancelled.items():
        DELIVERIES.labels(status).inc(count)
    return sum(cancelled.values())
