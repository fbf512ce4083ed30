"""Ends the waiting deliveries of webhooks that were paused, disabled or deleted."""

import asyncio
from collections.abc import Callable
from functools import partial

from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Database
from steward.kit.jobs.drain import drain
from steward.webhook_delivery import queries
from steward.webhook_delivery.metrics import DELIVERIES
from steward.webhook_delivery.model import WebhookKey

_BATCH_SIZE = 1000
_INTERVAL_SECONDS = 0.25


async def cancel_waiting(db: Database, key: WebhookKey, now: int) -> int:
    """Batch after batch, each checking again that the webhook takes none; returns how many were ended."""
    return await drain(partial(_cancel_batch, db, key, now), batch_size=_BATCH_SIZE)


async def _cancel_batch(db: Database, key: WebhookKey, now: int) -> int:
    cancelled = await queries.cancel_waiting(db, key, now, _BATCH_SIZE)
    for status, count in cancelled.items():
        DELIVERIES.labels(status).inc(count)
    return sum(cancelled.values())


class Canceller:
    """Cancels deliveries beside the engine."""

    def __init__(self, db: Database, now_ms: Callable[[], int]) -> None:
        self._db = db
        self._now_ms = now_ms
        self._keys: set[WebhookKey] = set()

    def add(self, key: WebhookKey) -> None:
        self._keys.add(key)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(_INTERVAL_SECONDS)
            while self._keys:
                key = self._keys.pop()
                try:
                    await cancel_waiting(self._db, key, self._now_ms())
                except Exception as error:  # noqa: BLE001 (it is found again with the next look)
                    FAULT_LOG.report("waiting deliveries can't be ended", error, webhook=key[1])
