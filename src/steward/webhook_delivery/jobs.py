"""What the worker does for deliveries by itself: sees whether they are taken care of, and puts right what is lost."""

from collections.abc import Callable, Iterable
from functools import partial

from steward.kit.db.pool import Database
from steward.kit.runtime import clock
from steward.kit.runtime.drain import drain
from steward.kit.runtime.log import log
from steward.organizations.queries import all_ids
from steward.webhook_delivery import queries
from steward.webhook_delivery.cancellation import cancel_waiting
from steward.webhook_delivery.metrics import DELIVERIES_MENDED, DELIVERIES_OLDEST_DUE, DELIVERIES_PAST_DUE
from steward.webhook_delivery.model import WebhookKey

OVERDUE_CHECK_SECONDS = 5
# A webhook counts as neglected after so long without anything under way.
_NEGLECTED_MS = 60_000
_BATCH_SIZE = 1000


class OverdueCheck:
    """What waits past its time, for the metrics and for the health check.

    That a receiver is slow or dead is its own affair. What is ours is a webhook with deliveries past their time of which none
    is under way, look after look: then no worker does its work. It looks from outside of the engine, so that it also sees when
    that stands still.
    """

    def __init__(self, process: Callable[[], str], *, first_wait_ms: int = 0) -> None:
        self._process = process
        self._first_wait_ms = first_wait_ms
        self._neglected_since: dict[WebhookKey, int] = {}

    async def run(self, db: Database) -> None:
        now = clock.now_ms()
        rows = await queries.past_due(db, now - self._first_wait_ms)
        DELIVERIES_PAST_DUE.set(sum(row["count"] for row in rows))
        DELIVERIES_OLDEST_DUE.set((now - min((row["oldest"] for row in rows), default=now)) / 1000)
        idle = {(row[0], row[1]): row["oldest"] for row in rows if not row["busy"]}
        await queries.report_oldest_due(db, self._process(), self._oldest_neglected(idle, now))

    def _oldest_neglected(self, idle: dict[WebhookKey, int], now: int) -> int | None:
        # Never from a time to come: the clock may have been set back.
        self._neglected_since = {key: min(now, self._neglected_since.get(key, now)) for key in idle}
        neglected = (
            idle[key] for key, since in self._neglected_since.items() if since <= now - _NEGLECTED_MS
        )
        return min(neglected, default=None)


async def reconcile(db: Database, organizations: Iterable[str] | None = None) -> None:
    """No delivery without an end or a next time: looks for those that have neither, counts them and puts them right.

    Nothing here should ever find work, save for webhooks that were deleted. A lease whose worker died is no case for it: such
    a delivery falls due by itself. Of these organizations, or of all.
    """
    for organization in await all_ids(db) if organizations is None else organizations:
        if lost := await drain(partial(_make_lost_due, db, organization), batch_size=_BATCH_SIZE):
            log.error("deliveries had no next time", organization=organization, count=lost)
        for webhook_id in await queries.deleted_webhooks_waited_for(db, organization):
            ended = await cancel_waiting(db, (organization, webhook_id), clock.now_ms())
            DELIVERIES_MENDED.labels("webhook_deleted").inc(ended)


async def _make_lost_due(db: Database, organization: str) -> int:
    mended = await queries.make_lost_due(db, organization, clock.now_ms(), _BATCH_SIZE)
    if mended:
        DELIVERIES_MENDED.labels("no_next_time").inc(mended)
        db.notify(organization)
    return mended


async def make_future_due(db: Database, now_ms: int, later_ms: int) -> int:
    """After a clock that was ahead was set back; returns how many fall due now that would have waited."""
    mended = 0
    for organization in await all_ids(db):
        batch = partial(queries.make_future_due, db, organization, now_ms, later_ms, _BATCH_SIZE)
        mended += await drain(batch, batch_size=_BATCH_SIZE)
        db.notify(organization)
    return mended
