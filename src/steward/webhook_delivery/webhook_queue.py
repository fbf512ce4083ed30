"""What one worker holds of one webhook. In memory and pure.

While its receiver is quick, and no other worker holds any of it, more is taken than may be under way, so that a place which
comes free goes on with the next at once. How many are under way is counted here, then.
"""

from collections import deque

from steward.webhook_delivery.model import MAX_IN_FLIGHT, MAX_WHILE_FAILING, ClaimedDelivery, WebhookKey

# Taken ahead for one webhook, at most: no more than it has lately got through with in this time.
MAX_WINDOW = 128
_GROWTH_INTERVAL_MS = 250
# Begun and not yet written down. Who dies leaves at most so many behind that may be sent once more.
MAX_UNSETTLED = 2 * MAX_IN_FLIGHT


class WebhookQueue:
    def __init__(self, key: WebhookKey) -> None:
        self.key = key
        # First attempts, and late ones; each in the order in which they were made.
        self.lanes: tuple[deque[ClaimedDelivery], deque[ClaimedDelivery]] = (deque(), deque())
        # By identifier: ours until it is written down how they went.
        self.held_ids: set[str] = set()
        # How many may be held.
        self.window = MAX_IN_FLIGHT
        self._in_flight = 0
        self._max_in_flight = MAX_IN_FLIGHT
        self._failures = 0
        self._successes = 0
        self._counted_since = 0

    @property
    def room(self) -> int:
        """How many more to take. Where much is taken ahead it is taken in large parts, which cost less."""
        free = self.window - len(self.held_ids)
        return free if self.window == MAX_IN_FLIGHT or free * 2 >= self.window else 0

    def can_start(self) -> bool:
        unsettled = len(self.held_ids) - len(self.lanes[0]) - len(self.lanes[1])
        return self._in_flight < self._max_in_flight and unsettled < MAX_UNSETTLED

    def add(self, delivery: ClaimedDelivery) -> None:
        self.lanes[delivery.attempts > 0].append(delivery)
        self.held_ids.add(delivery.id)
        if delivery.webhook.failing:
            self._max_in_flight = MAX_WHILE_FAILING

    def start(self) -> None:
        self._in_flight += 1

    def mark_sent(self, *, succeeded: bool | None, now: int) -> None:
        """`succeeded` is None for what says nothing about the receiver."""
        self._in_flight -= 1
        if succeeded:
            self._max_in_flight, self._failures = MAX_IN_FLIGHT, 0
            self._grow_window(now)
        elif succeeded is not None:
            self._failures += 1
            self.window = max(MAX_IN_FLIGHT, self.window // 2)
            if self._failures >= MAX_IN_FLIGHT:
                self._max_in_flight = MAX_WHILE_FAILING

    def _grow_window(self, now: int) -> None:
        self._successes += 1
        if now - self._counted_since > _GROWTH_INTERVAL_MS:
            self._successes, self._counted_since = 0, now
        elif self._successes >= self.window:
            self.window = min(MAX_WINDOW, self.window * 2)
            self._successes, self._counted_since = 0, now

    def shrink_window(self) -> list[ClaimedDelivery]:
        """Nothing ahead any more; what was is not ours to keep, the youngest first."""
        self.window = MAX_IN_FLIGHT
        surplus: list[ClaimedDelivery] = []
        for lane in reversed(self.lanes):
            while lane and len(self.held_ids) > self.window:
                surplus.append(delivery := lane.pop())
                self.held_ids.discard(delivery.id)
        return surplus
