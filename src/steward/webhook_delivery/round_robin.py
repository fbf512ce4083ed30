"""Webhooks in the order of their turns: tenants one after the other, and the webhooks of each. In memory and pure."""

from collections import deque

from steward.webhook_delivery.model import WebhookKey


class RoundRobin:
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
