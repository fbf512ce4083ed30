"""Writes down how attempts went: all that have come in since the last time, in one statement."""

import asyncio
from collections.abc import Callable, Sequence

from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import DATABASE_AWAY, Database
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime import clock
from steward.kit.runtime.log import log
from steward.kit.security.caller import TenantId
from steward.webhook_delivery.model import Outcome, WebhookKey
from steward.webhook_delivery.outcomes import queries as outcome_queries
from steward.webhook_delivery.outcomes.actions import disable
from steward.webhook_delivery.report import report

_BATCH_SIZE = 500
_MAX_PAUSE_SECONDS = 5.0
_SUCCESS_WRITTEN_MS = 10_000

# What is known of a webhook after a batch: whether something arrived, how much failed, and whether it is gone.
WebhookHealth = dict[WebhookKey, tuple[bool, int, bool]]


class Settler:
    """`on_settled` is called with each stored outcome, `on_disabled` with each disabled webhook."""

    def __init__(
        self,
        db: Database,
        on_settled: Callable[[Outcome], None],
        on_disabled: Callable[[WebhookKey], None],
    ) -> None:
        self._db = db
        self._on_settled = on_settled
        self._on_disabled = on_disabled
        self._pending: asyncio.Queue[Outcome] = asyncio.Queue()
        self._success_written: dict[WebhookKey, int] = {}

    def add(self, outcome: Outcome) -> None:
        self._pending.put_nowait(outcome)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            batch = [await self._pending.get()]
            while len(batch) < _BATCH_SIZE and not self._pending.empty():
                batch.append(self._pending.get_nowait())
            await self._write_until_done(batch)
            for _ in batch:
                self._pending.task_done()

    async def drained(self) -> None:
        """Once everything that was added is written."""
        await self._pending.join()

    async def _write_until_done(self, batch: Sequence[Outcome]) -> None:
        pause = 0.05
        while True:
            try:
                return await self._write_batch(batch)
            except (*DATABASE_AWAY, Unavailable) as error:
                FAULT_LOG.report("outcomes can't be written yet", error, count=len(batch))
                await asyncio.sleep(pause)
                pause = min(_MAX_PAUSE_SECONDS, pause * 2)
            except Exception as error:  # noqa: BLE001 (one outcome that can't be written must not hold up the others)
                return await self._write_halves(batch, error)

    async def _write_halves(self, batch: Sequence[Outcome], error: Exception) -> None:
        if len(batch) > 1:
            for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
                await self._write_until_done(half)
            return
        # It stays claimed until its time is over, and is tried again then.
        log.error("an outcome can't be written", delivery=batch[0].delivery.id, error=repr(error))
        self._on_settled(batch[0])

    async def _write_batch(self, batch: Sequence[Outcome]) -> None:
        now = clock.now_ms()
        health = self._worth_writing(webhook_health(batch), batch, now)
        hopeless = await outcome_queries.settle(self._db, batch, health, now)
        for (tenant, webhook_id), reason in hopeless.items():
            await self._disable(tenant, webhook_id, reason, now)
        for outcome in batch:
            report(outcome, now)
            self._on_settled(outcome)

    async def _disable(self, tenant: TenantId, webhook_id: str, reason: str, now: int) -> None:
        """The attempts are written already; an unreachable database does not repeat them."""
        try:
            if not await disable(self._db, tenant, webhook_id, reason, now):
                return
        except (*DATABASE_AWAY, Unavailable) as error:
            FAULT_LOG.report("a webhook can't be disabled; its next failure will", error, webhook=webhook_id)
            return
        log.warning("webhook disabled", organization=tenant, webhook=webhook_id, reason=reason)
        self._on_disabled((tenant, webhook_id))

    def _worth_writing(self, health: WebhookHealth, batch: Sequence[Outcome], now: int) -> WebhookHealth:
        """That a healthy webhook is still healthy is noted now and again only."""
        failing = {outcome.delivery.webhook.key for outcome in batch if outcome.delivery.webhook.failing}
        kept: WebhookHealth = {}
        for key, (succeeded, failed, gone) in health.items():
            fresh = now - _SUCCESS_WRITTEN_MS < self._success_written.get(key, 0) <= now
            if not succeeded or gone or key in failing or not fresh:
                kept[key] = (succeeded, failed, gone)
            if succeeded and key in kept:
                self._success_written[key] = now
        return kept


def webhook_health(batch: Sequence[Outcome]) -> WebhookHealth:
    """Test events say nothing of a receiver's health."""
    health: WebhookHealth = {}
    for outcome in batch:
        if outcome.result is not None and not outcome.delivery.is_test:
            key = outcome.delivery.webhook.key
            succeeded, failed, gone = health.get(key, (False, 0, False))
            health[key] = (
                succeeded or outcome.succeeded,
                failed + (not outcome.succeeded),
                gone or outcome.gone,
            )
    return health
