"""Whose turn it is: webhooks with work that is due, tenants one after the other. In memory and pure.

It only says where to look: what is really due, and how much may be taken, is the database's to say. What is forgotten here,
by a crash or a missed hint, comes back with the next look at the database.
"""

import heapq
from collections import deque
from collections.abc import Callable

from steward.webhook_delivery.model import MAX_IN_FLIGHT, WebhookKey

# Webhooks that one claim asks for at most.
MAX_WEBHOOKS_PER_CLAIM = 64


class RoundRobin:
    """Tenants one after the other, and the webhooks of each."""

    def __init__(self) -> None:
        # Tenants in the order of their turns; each with its webhooks in the order of theirs.
        self._tenants: dict[str, deque[str]] = {}
        self._queued: set[WebhookKey] = set()

    def __len__(self) -> int:
        return len(self._queued)

    def __contains__(self, key: WebhookKey) -> bool:
        return key in self._queued

    def put(self, key: WebhookKey) -> None:
        """Behind all others, unless it waits for its turn already."""
        if key not in self._queued:
            self._queued.add(key)
            self._tenants.setdefault(key[0], deque()).append(key[1])

    def pop(self) -> WebhookKey | None:
        """Whose turn it is; it is forgotten here until it is put again."""
        if not self._queued:
            return None
        tenant = next(iter(self._tenants))
        webhooks = self._tenants.pop(tenant)
        key = (tenant, webhooks.popleft())
        if webhooks:
            self._tenants[tenant] = webhooks
        self._queued.discard(key)
        return key


class FairQueue:
    """Of one lane. A webhook is asked for when it is due, has room, and its tenant's turn has come."""

    def __init__(self) -> None:
        self._scheduled: list[tuple[int, WebhookKey]] = []
        self._ready = RoundRobin()
        # Due, but all of their places are taken: until one comes free.
        self._full: set[WebhookKey] = set()

    def schedule(self, key: WebhookKey, due: int, now: int) -> None:
        if due > now:
            heapq.heappush(self._scheduled, (due, key))
        elif key not in self._ready:
            self._full.discard(key)
            self._ready.put(key)

    def wait_for_slot(self, key: WebhookKey) -> None:
        self._full.add(key)

    def slot_freed(self, key: WebhookKey, now: int) -> None:
        if key in self._full:
            self.schedule(key, now, now)

    def next_due(self) -> int | None:
        """When the earliest of those falls due that are not due yet."""
        return self._scheduled[0][0] if self._scheduled else None

    def has_ready(self, now: int) -> bool:
        self._promote(now)
        return bool(self._ready)

    def take(self, now: int, slots: int, room_for: Callable[[WebhookKey], int]) -> dict[WebhookKey, int]:
        """Whom to ask for, and for how many each; they are forgotten here until noted again."""
        self._promote(now)
        chosen: dict[WebhookKey, int] = {}
        # Who could take more than its requests under way takes no more than its share while others wait as well.
        share = max(MAX_IN_FLIGHT, slots // max(1, len(self._ready)))
        while slots > 0 and len(chosen) < MAX_WEBHOOKS_PER_CLAIM and (key := self._ready.pop()) is not None:
            if (free := min(room_for(key), slots, share)) > 0:
                chosen[key] = free
                slots -= free
            else:
                self._full.add(key)
        return chosen

    def _promote(self, now: int) -> None:
        while self._scheduled and self._scheduled[0][0] <= now:
            due, key = heapq.heappop(self._scheduled)
            self.schedule(key, due, now)
