"""Writes down how attempts went: all that have come in since the last time, in one statement."""

import asyncio
from collections.abc import Callable, Sequence

from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import DATABASE_AWAY, Database
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime.log import log
from steward.webhook_delivery.model import Outcome, WebhookKey
from steward.webhook_delivery.outcomes import queries as outcome_queries
from steward.webhook_delivery.report import report

# A webhook is disabled after so long without a success, and so many failures.
DISABLE_AFTER_MS = 5 * 86_400_000
DISABLE_AFTER_FAILURES = 20

_MAX_AT_ONCE = 500
_MAX_PAUSE_SECONDS = 5.0
_SUCCESS_NOTED_MS = 10_000

# What is known of a webhook after a batch: whether something arrived, how much failed, and whether it is gone.
News = dict[WebhookKey, tuple[bool, int, bool]]


class Settler:
    """`settled` hears of each outcome once it is written; `disabled` of webhooks that were switched off."""

    def __init__(
        self,
        db: Database,
        now: Callable[[], int],
        *,
        settled: Callable[[Outcome], None],
        disabled: Callable[[WebhookKey], None],
    ) -> None:
        self._db = db
        self._now = now
        self._settled = settled
        self._disabled = disabled
        self._came: list[Outcome] = []
        self._news = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._success_noted: dict[WebhookKey, int] = {}

    def add(self, outcome: Outcome) -> None:
        self._came.append(outcome)
        self._idle.clear()
        self._news.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            while self._came:
                batch, self._came = self._came[:_MAX_AT_ONCE], self._came[_MAX_AT_ONCE:]
                await self._write(batch)
            self._idle.set()

    async def finished(self) -> None:
        """Once everything that was added is written."""
        await self._idle.wait()

    async def _write(self, batch: Sequence[Outcome]) -> None:
        pause = 0.05
        while True:
            try:
                await self._try(batch)
            except (*DATABASE_AWAY, Unavailable) as error:
                FAULT_LOG.report("outcomes can't be written yet", error, count=len(batch))
                await asyncio.sleep(pause)
                pause = min(_MAX_PAUSE_SECONDS, pause * 2)
            except Exception as error:  # noqa: BLE001 (one outcome that can't be written must not hold up the others)
                await self._write_apart(batch, error)
                return
            else:
                return

    async def _write_apart(self, batch: Sequence[Outcome], error: Exception) -> None:
        if len(batch) > 1:
            for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
                await self._write(half)
            return
        # It stays claimed until its time is over, and is tried again then.
        log.error("an outcome can't be written", delivery=batch[0].delivery.id, error=repr(error))
        self._settled(batch[0])

    async def _try(self, batch: Sequence[Outcome]) -> None:
        now = self._now()
        news = self._worth_noting(news_of(batch), batch, now)
        if not news:
            await outcome_queries.settle(self._db, batch)
        else:
            self._tell(
                await outcome_queries.settle_and_note(
                    self._db, batch, news, now, DISABLE_AFTER_MS, DISABLE_AFTER_FAILURES
                )
            )
        for outcome in batch:
            report(outcome, now)
            self._settled(outcome)

    def _tell(self, disabled: dict[WebhookKey, str]) -> None:
        for key, reason in disabled.items():
            log.warning("webhook disabled", organization=key[0], webhook=key[1], reason=reason)
            self._disabled(key)

    def _worth_noting(self, news: News, batch: Sequence[Outcome], now: int) -> News:
        """That a healthy webhook is still healthy is noted now and again only."""
        failing = {outcome.delivery.webhook.key for outcome in batch if outcome.delivery.webhook.failing}
        kept: News = {}
        for key, (succeeded, failed, gone) in news.items():
            fresh = now - _SUCCESS_NOTED_MS < self._success_noted.get(key, 0) <= now
            if not succeeded or gone or key in failing or not fresh:
                kept[key] = (succeeded, failed, gone)
            if succeeded and key in kept:
                self._success_noted[key] = now
        return kept


def news_of(batch: Sequence[Outcome]) -> News:
    """Test events say nothing of a receiver's health."""
    news: News = {}
    for outcome in batch:
        if outcome.answer is not None and not outcome.delivery.is_test:
            key = outcome.delivery.webhook.key
            succeeded, failed, gone = news.get(key, (False, 0, False))
            news[key] = (
                succeeded or outcome.succeeded,
                failed + (not outcome.succeeded),
                gone or outcome.gone,
            )
    return news
