"""What one worker holds of one webhook. In memory and pure.

While its receiver is quick, and no other worker holds any of it, more is taken than may be under way, so that a place which
comes free goes on with the next at once. How many are under way is counted here, then.
"""

from collections import deque

from steward.webhook_delivery.model import MAX_IN_FLIGHT, MAX_WHILE_FAILING, ClaimedDelivery, WebhookKey

# Taken ahead for one webhook, at most: no more than it has lately got through with in this time.
MAX_AHEAD = 128
_QUICKLY_MS = 250
# Begun and not yet written down. Who dies leaves at most so many behind that may be sent once more.
MAX_UNSETTLED = 2 * MAX_IN_FLIGHT


class WebhookQueue:
    def __init__(self, key: WebhookKey) -> None:
        self.key = key
        # First attempts, and late ones; each in the order in which they were made.
        self.waiting: tuple[deque[ClaimedDelivery], deque[ClaimedDelivery]] = (deque(), deque())
        # By identifier: ours until it is written down how they went.
        self.held: set[str] = set()
        # How many may be held.
        self.window = MAX_IN_FLIGHT
        self._in_flight = 0
        self._limit = MAX_IN_FLIGHT
        self._failures = 0
        self._arrived = 0
        self._since = 0

    @property
    def room(self) -> int:
        """How many more to take. Where much is taken ahead it is taken in large parts, which cost less."""
        free = self.window - len(self.held)
        return free if self.window == MAX_IN_FLIGHT or free * 2 >= self.window else 0

    def may_begin(self) -> bool:
        unsettled = len(self.held) - len(self.waiting[0]) - len(self.waiting[1])
        return self._in_flight < self._limit and unsettled < MAX_UNSETTLED

    def take(self, delivery: ClaimedDelivery) -> None:
        self.waiting[delivery.attempts > 0].append(delivery)
        self.held.add(delivery.id)
        if delivery.webhook.failing:
            self._limit = MAX_WHILE_FAILING

    def begin(self) -> None:
        self._in_flight += 1

    def sent(self, *, succeeded: bool | None, now: int) -> None:
        """`succeeded` is None for what says nothing about the receiver."""
        self._in_flight -= 1
        if succeeded:
            self._limit, self._failures = MAX_IN_FLIGHT, 0
            self._count(now)
        elif succeeded is not None:
            self._failures += 1
            self.window = max(MAX_IN_FLIGHT, self.window // 2)
            if self._failures >= MAX_IN_FLIGHT:
                self._limit = MAX_WHILE_FAILING

    def _count(self, now: int) -> None:
        self._arrived += 1
        if now - self._since > _QUICKLY_MS:
            self._arrived, self._since = 0, now
        elif self._arrived >= self.window:
            self.window = min(MAX_AHEAD, self.window * 2)
            self._arrived, self._since = 0, now

    def slow_down(self) -> list[ClaimedDelivery]:
        """Nothing ahead any more; what was is not ours to keep, the youngest first."""
        self.window = MAX_IN_FLIGHT
        surplus: list[ClaimedDelivery] = []
        for waiting in reversed(self.waiting):
            while waiting and len(self.held) > self.window:
                surplus.append(delivery := waiting.pop())
                self.held.discard(delivery.id)
        return surplus
