"""The loop around the stages: finds due deliveries, claims them, sends them, and has their outcomes written.

The process may die at any moment: an unsettled delivery is free again once the lease of its worker has ended.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Sequence

from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Database
from steward.kit.runtime import clock
from steward.kit.runtime.log import log
from steward.webhook_delivery.cancellation import cancel_in_turn
from steward.webhook_delivery.capacity import MAX_QUEUED, Capacity
from steward.webhook_delivery.claims import queries as claim_queries
from steward.webhook_delivery.dispatch import Dispatcher, Send
from steward.webhook_delivery.due_search import DueSearch
from steward.webhook_delivery.fair_queue import FairQueue
from steward.webhook_delivery.metrics import DELIVERIES_IN_FLIGHT
from steward.webhook_delivery.model import (
    LANES,
    LEASE_MS,
    Claim,
    ClaimedDelivery,
    DeliveryConfig,
    Lane,
    Outcome,
    WebhookKey,
)
from steward.webhook_delivery.prepare import OpenSecrets
from steward.webhook_delivery.send import HttpSender
from steward.webhook_delivery.settle import Settler
from steward.webhook_delivery.shutdown import finish_within

_MAX_WAIT_SECONDS = 0.25
# Smaller claims wait while more deliveries than that are in flight: they cost as much as larger ones.
_MIN_CLAIM = MAX_QUEUED // 3
_UNAVAILABLE_RETRY_SECONDS = 0.02
_FULL_RETRY_SECONDS = 0.25
_PAUSE_SECONDS = 0.5
# For each of the last statements. A database that doesn't answer must not keep the process from ending.
_SHUTDOWN_STEP_SECONDS = 1.5


class Engine:
    """The engine owns its claims as long as the lease of `heartbeat` holds."""

    def __init__(
        self,
        db: Database,
        sender: HttpSender,
        open_secrets: OpenSecrets,
        config: DeliveryConfig,
        heartbeat: Heartbeat,
        *,
        trace_attempts: Callable[[Send], Send] = lambda send: send,
    ) -> None:
        self._db = db
        self._grace_seconds = config.grace_seconds
        self._heartbeat = heartbeat
        heartbeat.on_lease_lost = self._on_lease_lost
        heartbeat.on_worker_ended = self._on_worker_ended
        self._delay: dict[Lane, int] = {"pending": int(config.retry_schedule[0] * 1000), "retrying": 0}
        self._queues = {lane: FairQueue() for lane in LANES}
        self._capacity = Capacity()
        # Webhooks that take nothing more, whose waiting deliveries are to end.
        self._to_cancel: set[WebhookKey] = set()
        self._settler = Settler(db, self._on_settled, self._to_cancel.add)
        send = trace_attempts(lambda _delivery, request: sender.send(request))
        self._dispatcher = Dispatcher(
            self._capacity, send, open_secrets, config, heartbeat, on_outcome=self._on_outcome
        )
        self._wake = asyncio.Event()
        self._search = DueSearch()
        self._last_lease_until = 0
        # The lease of another worker has ended.
        self._worker_ended = False
        # Webhooks with claims that we may hold without knowing: the answer to the statement was lost.
        self._unconfirmed: set[WebhookKey] = set()

    def notify(self, tenants: frozenset[str] | None) -> None:
        """There may be something to deliver: for these tenants, or for any."""
        self._search.request(tenants)
        self._wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Runs until `stop` is set; then finishes deliveries in flight, or gives them back if something hangs."""
        work = asyncio.create_task(self._run_loop())
        beside = (self._settler.run(), cancel_in_turn(self._db, self._to_cancel))
        parts = [work, *map(asyncio.create_task, beside)]
        stopped = asyncio.create_task(stop.wait())
        try:
            ended, _ = await asyncio.wait([stopped, *parts], return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
            await self._shut_down(work)
        finally:
            for task in (stopped, *parts):
                task.cancel()
            await asyncio.wait([stopped, *parts], timeout=1)

    async def _run_loop(self) -> None:
        while not self._dispatcher.stopping:
            try:
                await self._run_once()
            except Exception as error:  # noqa: BLE001 (whatever it was, delivering must go on)
                FAULT_LOG.report("deliveries can't be claimed", error)
                self._search.request(None)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _run_once(self) -> None:
        self._wake.clear()
        self._dispatcher.start()
        total = 0
        if self._heartbeat.holds_lease():
            await self._release_abandoned()
            await self._find_due()
            for lane in LANES:
                total += await self._claim(lane)
        DELIVERIES_IN_FLIGHT.set(self._capacity.in_flight)
        if not total and not self._dispatcher.stopping:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._max_wait()):
                    await self._wake.wait()

    def _max_wait(self) -> float:
        now = clock.now_ms()
        if not self._heartbeat.holds_lease() or any(queue.has_ready(now) for queue in self._queues.values()):
            return _MAX_WAIT_SECONDS  # until a slow delivery frees its place
        dues = [due for queue in self._queues.values() if (due := queue.next_due()) is not None]
        until_search = self._search.seconds_until_next()
        return max(0.0, min((min(dues) - now) / 1000, until_search) if dues else until_search)

    async def _release_abandoned(self) -> None:
        """Frees deliveries without a worker: of dead workers, of claims whose answer was lost, and of claims beyond our capacity."""
        now, process = clock.now_ms(), self._heartbeat.process
        if self._worker_ended:
            self._worker_ended = False
            ended, keys, count = await claim_queries.end_dead_workers(self._db, process, now)
            if ended:
                # A worker that was stopped has given back its claims.
                log_line = log.warning if count else log.info
                log_line(
                    "leases of workers expired; their deliveries are free", workers=ended, deliveries=count
                )
            self._search.request({key[0] for key in keys})
        if self._unconfirmed:
            known = [id for key in self._unconfirmed for id in self._capacity.held_ids(key)]
            await claim_queries.release_held_by(self._db, list(self._unconfirmed), [process], known, now)
            self._unconfirmed.clear()
        if surplus := self._capacity.pop_surplus():
            await self._return(surplus)

    async def _return(self, deliveries: Sequence[ClaimedDelivery]) -> None:
        now = clock.now_ms()
        await claim_queries.release(self._db, deliveries, now)
        for delivery in deliveries:
            lane: Lane = "retrying" if delivery.attempts else "pending"
            self._queues[lane].schedule(delivery.webhook.key, now, now)

    async def _find_due(self) -> None:
        for tenant, webhook_id, skipped, *dues in await self._search.run(self._db):
            key, now = (tenant, webhook_id), clock.now_ms()
            if skipped is not None:
                self._to_cancel.add(key)
                if unstarted := self._capacity.withdraw(key):
                    await claim_queries.release(self._db, unstarted, now)
                continue
            for lane, due in zip(LANES, dues, strict=True):
                if due is not None:
                    self._queues[lane].schedule(key, due + self._delay[lane], now)

    async def _claim(self, lane: Lane) -> int:
        now = clock.now_ms()
        capacity = self._capacity
        free_slots = capacity.free_slots(now) if lane == "pending" else capacity.free_retry_slots(now)
        if free_slots < min(_MIN_CLAIM, max(1, capacity.in_flight)):
            return 0
        chosen = self._queues[lane].take(now, free_slots, capacity.room)
        if not chosen:
            return 0
        requests = {key: (count, len(capacity.held_ids(key))) for key, count in chosen.items()}
        self._last_lease_until = max(self._last_lease_until + 1, now + LEASE_MS)
        own_claim = Claim(self._heartbeat.process, self._last_lease_until)
        try:
            claimed, slots = await claim_queries.claim(
                self._db, requests, lane, own_claim, before=now - self._delay[lane], now=now
            )
        except BaseException:
            self._unconfirmed |= requests.keys()
            raise
        taken = Counter(delivery.webhook.key for delivery in claimed)
        for key in requests:
            self._schedule_next(lane, key, taken[key], slots.get(key), now)
        if own_claim.process != self._heartbeat.process:
            # Our lease expired meanwhile: no other worker would free these claims if we died now.
            await self._return(claimed)
            return 0
        for delivery in claimed:
            capacity.add(delivery)
        self._dispatcher.start()
        return len(claimed)

    def _schedule_next(self, lane: Lane, key: WebhookKey, taken: int, slots: int | None, now: int) -> None:
        """Who filled its places may have more to send; `slots` is None where another worker had hold of the webhook."""
        if slots is None:
            self._notify_later(key, _UNAVAILABLE_RETRY_SECONDS)
        elif slots > 0:
            if taken >= slots:
                self._queues[lane].schedule(key, now, now)
        elif self._capacity.held_ids(key):
            self._queues[lane].wait_for_slot(key)
        else:
            self._notify_later(key, _FULL_RETRY_SECONDS)

    def _notify_later(self, key: WebhookKey, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self.notify, frozenset({key[0]}))

    def _on_outcome(self, outcome: Outcome) -> None:
        self._settler.add(outcome)
        now = clock.now_ms()
        if self._capacity.free_slots(now) >= _MIN_CLAIM:
            self._wake_if_ready(now)

    def _on_settled(self, outcome: Outcome) -> None:
        key, now = outcome.delivery.webhook.key, clock.now_ms()
        self._capacity.mark_settled(outcome.delivery)
        if outcome.due is not None:
            self._queues["retrying"].schedule(key, outcome.due, now)
            self._wake.set()
        if self._capacity.room(key) > 0:
            for queue in self._queues.values():
                queue.slot_freed(key, now)
            self._wake_if_ready(now)
        self._dispatcher.start()

    def _wake_if_ready(self, now: int) -> None:
        """Wakes the loop only if a webhook may be claimed for."""
        if any(queue.has_ready(now) for queue in self._queues.values()):
            self._wake.set()

    def _on_lease_lost(self) -> None:
        """Others may take our waiting claims. Requests in flight finish, and their outcomes count if they are written first."""
        self._capacity.withdraw_all()
        self._unconfirmed.clear()
        self._search.request(None)

    def _on_worker_ended(self) -> None:
        self._worker_ended = True
        self._wake.set()

    async def _shut_down(self, work: "asyncio.Task[None]") -> None:
        deadline = time.monotonic() + self._grace_seconds
        self._dispatcher.stopping = True
        self._wake.set()
        # The turn under way may still claim something, which is given back as well.
        await asyncio.wait([work], timeout=_SHUTDOWN_STEP_SECONDS)
        work.cancel()
        await self._release([*self._capacity.withdraw_all(), *self._capacity.pop_surplus()])
        cut_off = await self._dispatcher.drain(max(0.0, deadline - time.monotonic()))
        await finish_within(_SHUTDOWN_STEP_SECONDS, self._settler.drained())
        await self._release(cut_off)

    async def _release(self, deliveries: Sequence[ClaimedDelivery]) -> None:
        """If the database doesn't answer, they are free once our lease ends."""
        if not deliveries:
            return
        release = claim_queries.release(self._db, deliveries, clock.now_ms())
        if await finish_within(_SHUTDOWN_STEP_SECONDS, release):
            log.info("deliveries given back", count=len(deliveries))
