"""How much this worker may have under way, and what of it comes next. In memory and pure."""

from steward.webhook_delivery.model import (
    LEASE_MS,
    MAX_IN_FLIGHT,
    TIMEOUT_SECONDS,
    ClaimedDelivery,
    WebhookKey,
)
from steward.webhook_delivery.round_robin import RoundRobin
from steward.webhook_delivery.webhook_queue import WebhookQueue

# As many requests at once as one process can keep busy with. One that takes long leaves its place to others: what waits for a
# slow receiver costs a socket, no work.
QUICK = 96
SLOW_AFTER_MS = 1000
# What is taken ahead, so that no place is empty while more is being claimed.
AHEAD = 256
TOTAL = 640
# Late attempts leave room for first ones at any time.
MAX_LATE = TOTAL // 2
# What waits for longer is begun no more: it could not be finished while it is ours.
_STALE_MS = LEASE_MS - int(TIMEOUT_SECONDS * 1000) - 5000
_REMEMBERED = 1000


class Capacity:
    def __init__(self) -> None:
        self._lines: dict[WebhookKey, WebhookQueue] = {}
        # Of which nothing is held at the moment: how quick their receivers are is remembered for a while.
        self._empty: dict[WebhookKey, WebhookQueue] = {}
        # Webhooks of which something waits that may begin: first attempts, then late ones.
        self._ready = (RoundRobin(), RoundRobin())
        self._waiting = 0
        # By identifier, in the order in which they began.
        self._quick: dict[str, tuple[int, WebhookKey]] = {}
        self._slow: set[str] = set()
        self._late: set[str] = set()
        # To be given back.
        self._surplus: list[ClaimedDelivery] = []

    @property
    def in_flight(self) -> int:
        return len(self._quick) + len(self._slow)

    def take(self, delivery: ClaimedDelivery) -> None:
        """Ours now; its turn comes when a place is free."""
        key = delivery.webhook.key
        line = self._lines.get(key) or self._empty.pop(key, None) or WebhookQueue(key)
        if delivery.id in line.held:
            return  # its lease was over before we could write down how it went
        self._lines[key] = line
        line.take(delivery)
        self._waiting += 1
        if delivery.attempts:
            self._late.add(delivery.id)
        self._offer(line)

    def begin(self, now: int) -> ClaimedDelivery | None:
        """The next to be sent, unless all places are taken or none may begin."""
        self._let_slow_ones_go(now)
        for late, ready in enumerate(self._ready):
            while len(self._quick) < QUICK and (key := ready.pop()) is not None:
                line = self._lines.get(key)
                if line is None or not line.waiting[late] or not line.may_begin():
                    continue
                delivery = line.waiting[late].popleft()
                self._waiting -= 1
                if now > delivery.claim.lease_until - LEASE_MS + SLOW_AFTER_MS:
                    self._slow_down(line)
                if now > delivery.claim.lease_until - LEASE_MS + _STALE_MS:
                    self._drop(line, delivery)
                    self._surplus.append(delivery)
                    self._offer(line)
                    continue
                line.begin()
                self._quick[delivery.id] = (now, key)
                self._offer(line)
                return delivery
        return None

    def sent(self, delivery: ClaimedDelivery, *, succeeded: bool | None, now: int) -> None:
        if self._quick.pop(delivery.id, None) is None:
            self._slow.discard(delivery.id)
        self._late.discard(delivery.id)
        if (line := self._lines.get(delivery.webhook.key)) is not None:
            line.sent(succeeded=succeeded, now=now)
            self._offer(line)

    def settled(self, delivery: ClaimedDelivery) -> None:
        if (line := self._lines.get(delivery.webhook.key)) is not None:
            line.held.discard(delivery.id)
            self._offer(line)
            self._set_aside_if_empty(line)

    def withdraw(self, key: WebhookKey) -> list[ClaimedDelivery]:
        """What was taken for this webhook and never begun: ours no more."""
        gone: list[ClaimedDelivery] = []
        if (line := self._lines.get(key)) is not None:
            for waiting in line.waiting:
                gone += waiting
                waiting.clear()
            self._waiting -= len(gone)
            for delivery in gone:
                self._drop(line, delivery)
        return gone

    def withdraw_all(self) -> list[ClaimedDelivery]:
        return [delivery for key in list(self._lines) for delivery in self.withdraw(key)]

    def take_surplus(self) -> list[ClaimedDelivery]:
        """What was taken ahead for receivers that turned out to be slow."""
        surplus, self._surplus = self._surplus, []
        return surplus

    def held(self, key: WebhookKey) -> set[str]:
        return self._lines[key].held if key in self._lines else set()

    def room(self, key: WebhookKey) -> int:
        line = self._lines.get(key) or self._empty.get(key)
        return MAX_IN_FLIGHT if line is None else line.room

    def free(self, now: int) -> int:
        """How many more may be taken."""
        self._let_slow_ones_go(now)
        taken = len(self._quick) + self._waiting
        return min(QUICK + AHEAD - taken, TOTAL - len(self._slow) - taken)

    def free_for_late(self, now: int) -> int:
        return min(self.free(now), MAX_LATE - len(self._late))

    def _offer(self, line: WebhookQueue) -> None:
        if line.may_begin():
            for waiting, ready in zip(line.waiting, self._ready, strict=True):
                if waiting:
                    ready.put(line.key)

    def _let_slow_ones_go(self, now: int) -> None:
        while self._quick:
            id, (began, key) = next(iter(self._quick.items()))
            if began > now - SLOW_AFTER_MS:
                break
            del self._quick[id]
            self._slow.add(id)
            if (line := self._lines.get(key)) is not None:
                self._slow_down(line)

    def _slow_down(self, line: WebhookQueue) -> None:
        surplus = line.slow_down()
        self._waiting -= len(surplus)
        self._surplus += surplus
        for delivery in surplus:
            self._drop(line, delivery)

    def _drop(self, line: WebhookQueue, delivery: ClaimedDelivery) -> None:
        line.held.discard(delivery.id)
        self._late.discard(delivery.id)
        self._set_aside_if_empty(line)

    def _set_aside_if_empty(self, line: WebhookQueue) -> None:
        if not line.held and self._lines.pop(line.key, None) is not None:
            self._empty[line.key] = line
            if len(self._empty) > _REMEMBERED:
                del self._empty[next(iter(self._empty))]
