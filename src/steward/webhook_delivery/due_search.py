"""Decides when to search for due deliveries, and whether for some tenants or for all."""

import time
from collections.abc import Iterable

from steward.kit.db.pool import Database
from steward.kit.db.sql import Row
from steward.kit.runtime import clock
from steward.webhook_delivery import queries

# A search over all tenants catches what hints missed. Its cost grows with the number of waiting deliveries, so that it runs less
# often when there are many.
_SCAN_SECONDS = 1.0
_SCAN_SHARE = 20
# What searching for one tenant costs, about: a lookup for both lanes of its webhooks in every partition.
_NAMED_TENANT_SECONDS = 0.0001


class DueSearch:
    def __init__(self) -> None:
        self._tenants: set[str] = set()
        self._next_scan = 0.0
        self._scan_seconds = 0.0

    def request(self, tenants: Iterable[str] | None) -> None:
        """The next run searches for these tenants too, or for all."""
        if tenants is None:
            self._next_scan = 0.0
        else:
            self._tenants |= set(tenants)

    def seconds_until_next(self) -> float:
        return min(_SCAN_SECONDS, self._next_scan - time.monotonic())

    async def run(self, db: Database) -> list[Row]:
        """As `queries.waiting_webhooks` finds them; empty when no search is due."""
        began = time.monotonic()
        if began < self._next_scan and not self._tenants:
            return []
        # For very many tenants one search over all is faster than a lookup for each.
        everywhere = (
            began >= self._next_scan or len(self._tenants) * _NAMED_TENANT_SECONDS > self._scan_seconds
        )
        tenants, self._tenants = self._tenants, set()
        rows = await queries.waiting_webhooks(db, None if everywhere else tenants, clock.now_ms())
        if everywhere:
            self._scan_seconds = time.monotonic() - began
            self._next_scan = began + max(_SCAN_SECONDS, self._scan_seconds * _SCAN_SHARE)
        return rows
