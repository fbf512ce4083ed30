"""The worker's jobs for deliveries: checks for overdue ones, and repairs lost ones.

Each starts from waiting or lost deliveries of all tenants at once, never from the tenants: those without any cost nothing.
"""

from collections.abc import Callable
from functools import partial

from steward.kit.db.pool import Database
from steward.kit.jobs.drain import drain
from steward.kit.jobs.singleton_job import run_as_singleton
from steward.kit.runtime import clock
from steward.kit.runtime.log import log
from steward.webhook_delivery import queries
from steward.webhook_delivery.metrics import DELIVERIES_OLDEST_DUE, DELIVERIES_PAST_DUE, REPAIRED_WITHOUT_DUE
from steward.webhook_delivery.model import WebhookKey
from steward.webhook_delivery.repairs import queries as repairs

OVERDUE_CHECK_SECONDS = 5
_OVERDUE_CHECK = "check_overdue_deliveries"
# A little less, so that a worker that runs at that pace never runs too early.
_ROUND_SECONDS = OVERDUE_CHECK_SECONDS - 1
# Another worker takes over when the one that checks is this late.
_TAKE_OVER_SECONDS = 3 * OVERDUE_CHECK_SECONDS
# A webhook counts as neglected after so long without anything under way.
_NEGLECTED_MS = 60_000
_BATCH_SIZE = 1000


class OverdueCheck:
    """Overdue deliveries, for the metrics and for the health check.

    A slow or dead receiver is not our fault. Ours is a webhook with overdue deliveries of which none is in flight, check after
    check: then no worker does its work. The check runs outside of the engine, so that it also notices an engine that hangs. One
    worker checks for all, the same one as long as it can: it remembers what it saw before.
    """

    def __init__(self, process: Callable[[], str], *, first_wait_ms: int = 0) -> None:
        self._process = process
        self._first_wait_ms = first_wait_ms
        self._is_ours = False
        self._neglected_since: dict[WebhookKey, int] = {}

    async def run(self, db: Database) -> None:
        patience = 0 if self._is_ours else _TAKE_OVER_SECONDS
        done = await run_as_singleton(
            db, _OVERDUE_CHECK, _ROUND_SECONDS, clock.now(), lambda: self._look(db), patience=patience
        )
        if self._is_ours and not done:
            await self._report(db, None, count=0, oldest_ms=0)
            self._neglected_since = {}
        self._is_ours = done

    async def _look(self, db: Database) -> None:
        now = clock.now_ms()
        rows = await queries.past_due(db, now - self._first_wait_ms, now)
        idle = {(row[0], row[1]): row["oldest"] for row in rows if not row["busy"]}
        count = sum(row["count"] for row in rows)
        oldest_ms = now - min((row["oldest"] for row in rows), default=now)
        await self._report(db, self._oldest_neglected(idle, now), count=count, oldest_ms=oldest_ms)

    async def _report(self, db: Database, neglected: int | None, *, count: int, oldest_ms: int) -> None:
        DELIVERIES_PAST_DUE.set(count)
        DELIVERIES_OLDEST_DUE.set(oldest_ms / 1000)
        await queries.report_oldest_due(db, self._process(), neglected)

    def _oldest_neglected(self, idle: dict[WebhookKey, int], now: int) -> int | None:
        # Never in the future: the clock may have been set back.
        self._neglected_since = {key: min(now, self._neglected_since.get(key, now)) for key in idle}
        neglected = (
            idle[key] for key, since in self._neglected_since.items() if since <= now - _NEGLECTED_MS
        )
        return min(neglected, default=None)


async def reconcile(db: Database) -> None:
    """Repairs deliveries that are neither finished nor due, and counts them.

    It should never find any. A delivery whose worker died falls due by itself, and the engine finds those of deleted webhooks.
    """
    for organization in await repairs.tenants_with_lost(db):
        if lost := await drain(partial(_make_lost_due, db, organization), batch_size=_BATCH_SIZE):
            log.error("deliveries had no next attempt", organization=organization, count=lost)


async def _make_lost_due(db: Database, organization: str) -> int:
    repaired = await repairs.make_lost_due(db, organization, clock.now_ms(), _BATCH_SIZE)
    if repaired:
        REPAIRED_WITHOUT_DUE.inc(repaired)
        db.notify(organization)
    return repaired


async def make_future_due(db: Database, now_ms: int, later_ms: int) -> int:
    """After a clock that was ahead has been set back; returns how many deliveries were made due now."""
    total = 0
    for organization in {tenant for tenant, _ in await queries.waiting_lanes(db, queries.END_OF_ALL_IDS)}:
        batch = partial(repairs.make_future_due, db, organization, now_ms, later_ms, _BATCH_SIZE)
        if repaired := await drain(batch, batch_size=_BATCH_SIZE):
            total += repaired
            db.notify(organization)
    return total
