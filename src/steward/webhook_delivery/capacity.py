"""How much this worker may have under way, and what of it comes next. In memory and pure."""

from steward.webhook_delivery.fair_queue import RoundRobin
from steward.webhook_delivery.model import (
    LEASE_MS,
    MAX_IN_FLIGHT,
    TIMEOUT_SECONDS,
    ClaimedDelivery,
    WebhookKey,
)
from steward.webhook_delivery.webhook_queue import WebhookQueue

# As many requests at once as one process can handle. A slow one leaves its place to others: a request that waits for a
# slow receiver costs a socket, no work.
MAX_QUICK_IN_FLIGHT = 96
SLOW_AFTER_MS = 1000
# What is taken ahead, so that no place is empty while more is being claimed.
MAX_QUEUED = 256
MAX_HELD = 640
# Late attempts leave room for first ones at any time.
MAX_RETRYING = MAX_HELD // 2
# Requests that waited longer are not started: they could not finish within their lease.
_MAX_QUEUED_MS = LEASE_MS - int(TIMEOUT_SECONDS * 1000) - 5000
_MAX_IDLE_QUEUES = 1000


class Capacity:
    def __init__(self) -> None:
        self._queues: dict[WebhookKey, WebhookQueue] = {}
        # Of which nothing is held at the moment: how quick their receivers are is remembered for a while.
        self._idle_queues: dict[WebhookKey, WebhookQueue] = {}
        # Webhooks of which something waits that may begin: first attempts, then late ones.
        self._ready = (RoundRobin(), RoundRobin())
        self._queued = 0
        # By identifier, in the order in which they began.
        self._quick: dict[str, tuple[int, WebhookKey]] = {}
        self._slow: set[str] = set()
        self._retrying: set[str] = set()
        # To be given back.
        self._surplus: list[ClaimedDelivery] = []

    @property
    def in_flight(self) -> int:
        return len(self._quick) + len(self._slow)

    def add(self, delivery: ClaimedDelivery) -> None:
        """Ours now; its turn comes when a place is free."""
        key = delivery.webhook.key
        queue = self._queues.get(key) or self._idle_queues.pop(key, None) or WebhookQueue(key)
        if delivery.id in queue.held_ids:
            return  # its lease was over before we could write down how it went
        self._queues[key] = queue
        queue.add(delivery)
        self._queued += 1
        if delivery.attempts:
            self._retrying.add(delivery.id)
        self._mark_ready(queue)

    def start_next(self, now: int) -> ClaimedDelivery | None:
        """The next to be sent, unless all places are taken or none may begin."""
        self._demote_slow(now)
        for lane, ready in enumerate(self._ready):
            while len(self._quick) < MAX_QUICK_IN_FLIGHT and (key := ready.pop()) is not None:
                queue = self._queues.get(key)
                if queue is None or not queue.lanes[lane] or not queue.can_start():
                    continue
                delivery = queue.lanes[lane].popleft()
                self._queued -= 1
                if now > delivery.claim.lease_until - LEASE_MS + SLOW_AFTER_MS:
                    self._shrink_window(queue)
                if now > delivery.claim.lease_until - LEASE_MS + _MAX_QUEUED_MS:
                    self._remove(queue, delivery)
                    self._surplus.append(delivery)
                    self._mark_ready(queue)
                    continue
                queue.start()
                self._quick[delivery.id] = (now, key)
                self._mark_ready(queue)
                return delivery
        return None

    def mark_sent(self, delivery: ClaimedDelivery, *, succeeded: bool | None, now: int) -> None:
        if self._quick.pop(delivery.id, None) is None:
            self._slow.discard(delivery.id)
        self._retrying.discard(delivery.id)
        if (queue := self._queues.get(delivery.webhook.key)) is not None:
            queue.mark_sent(succeeded=succeeded, now=now)
            self._mark_ready(queue)

    def mark_settled(self, delivery: ClaimedDelivery) -> None:
        if (queue := self._queues.get(delivery.webhook.key)) is not None:
            queue.held_ids.discard(delivery.id)
            self._mark_ready(queue)
            self._retire_if_empty(queue)

    def withdraw(self, key: WebhookKey) -> list[ClaimedDelivery]:
        """What was taken for this webhook and never begun: ours no more."""
        withdrawn: list[ClaimedDelivery] = []
        if (queue := self._queues.get(key)) is not None:
            for lane in queue.lanes:
                withdrawn += lane
                lane.clear()
            self._queued -= len(withdrawn)
            for delivery in withdrawn:
                self._remove(queue, delivery)
        return withdrawn

    def withdraw_all(self) -> list[ClaimedDelivery]:
        return [delivery for key in list(self._queues) for delivery in self.withdraw(key)]

    def pop_surplus(self) -> list[ClaimedDelivery]:
        """What was taken ahead for receivers that turned out to be slow."""
        surplus, self._surplus = self._surplus, []
        return surplus

    def held_ids(self, key: WebhookKey) -> set[str]:
        return self._queues[key].held_ids if key in self._queues else set()

    def room(self, key: WebhookKey) -> int:
        queue = self._queues.get(key) or self._idle_queues.get(key)
        return MAX_IN_FLIGHT if queue is None else queue.room

    def free_slots(self, now: int) -> int:
        """How many more may be taken."""
        self._demote_slow(now)
        occupied = len(self._quick) + self._queued
        return min(MAX_QUICK_IN_FLIGHT + MAX_QUEUED - occupied, MAX_HELD - len(self._slow) - occupied)

    def free_retry_slots(self, now: int) -> int:
        return min(self.free_slots(now), MAX_RETRYING - len(self._retrying))

    def _mark_ready(self, queue: WebhookQueue) -> None:
        if queue.can_start():
            for lane, ready in zip(queue.lanes, self._ready, strict=True):
                if lane:
                    ready.put(queue.key)

    def _demote_slow(self, now: int) -> None:
        while self._quick:
            id, (started, key) = next(iter(self._quick.items()))
            if started > now - SLOW_AFTER_MS:
                break
            del self._quick[id]
            self._slow.add(id)
            if (queue := self._queues.get(key)) is not None:
                self._shrink_window(queue)

    def _shrink_window(self, queue: WebhookQueue) -> None:
        surplus = queue.shrink_window()
        self._queued -= len(surplus)
        self._surplus += surplus
        for delivery in surplus:
            self._remove(queue, delivery)

    def _remove(self, queue: WebhookQueue, delivery: ClaimedDelivery) -> None:
        queue.held_ids.discard(delivery.id)
        self._retrying.discard(delivery.id)
        self._retire_if_empty(queue)

    def _retire_if_empty(self, queue: WebhookQueue) -> None:
        if not queue.held_ids and self._queues.pop(queue.key, None) is not None:
            self._idle_queues[queue.key] = queue
            if len(self._idle_queues) > _MAX_IDLE_QUEUES:
                del self._idle_queues[next(iter(self._idle_queues))]
