"""How much this worker may have under way. In memory and pure."""

from collections import Counter, deque

from steward.delivery.model import MOST_IN_FLIGHT, Delivery, WebhookKey

# As many requests at once as one process can keep busy with. One that takes long leaves its place to others: what waits for a
# slow receiver costs a socket, no work.
QUICK = 96
SLOW_AFTER_MS = 1000
# What is taken ahead, so that no place is empty while more is being claimed.
AHEAD = 256
TOTAL = 640
# Late attempts leave room for first ones at any time.
MOST_LATE = TOTAL // 2


class Places:
    def __init__(self) -> None:
        self._waiting: deque[Delivery] = deque()
        # By identifier, in the order in which they began.
        self._quick: dict[str, int] = {}
        self._slow: set[str] = set()
        self._late: set[str] = set()
        # Per webhook: held until it is written down how they went.
        self._held: Counter[WebhookKey] = Counter()

    @property
    def in_flight(self) -> int:
        return len(self._quick) + len(self._slow)

    def take(self, delivery: Delivery) -> None:
        """Ours now; its turn comes when a place is free."""
        self._waiting.append(delivery)
        self._held[delivery.webhook.key] += 1
        if delivery.attempts:
            self._late.add(delivery.id)

    def begin(self, now: int) -> Delivery | None:
        """The next to be sent, unless all places are taken or none waits."""
        self._let_slow_ones_go(now)
        if not self._waiting or len(self._quick) >= QUICK:
            return None
        delivery = self._waiting.popleft()
        self._quick[delivery.id] = now
        return delivery

    def sent(self, delivery: Delivery) -> None:
        if self._quick.pop(delivery.id, None) is None:
            self._slow.discard(delivery.id)
        self._late.discard(delivery.id)

    def give_up_waiting(self) -> list[Delivery]:
        """What was taken and never begun."""
        waiting = list(self._waiting)
        self._waiting.clear()
        return waiting

    def settled(self, key: WebhookKey) -> None:
        self._held[key] -= 1
        if self._held[key] <= 0:
            del self._held[key]

    def held(self, key: WebhookKey) -> int:
        return self._held[key]

    def room(self, key: WebhookKey) -> int:
        return MOST_IN_FLIGHT - self._held[key]

    def free(self, now: int) -> int:
        """How many more may be taken."""
        self._let_slow_ones_go(now)
        taken = len(self._quick) + len(self._waiting)
        return min(QUICK + AHEAD - taken, TOTAL - len(self._slow) - taken)

    def free_for_late(self, now: int) -> int:
        return min(self.free(now), MOST_LATE - len(self._late))

    def _let_slow_ones_go(self, now: int) -> None:
        while self._quick:
            id, began = next(iter(self._quick.items()))
            if began > now - SLOW_AFTER_MS:
                break
            del self._quick[id]
            self._slow.add(id)
