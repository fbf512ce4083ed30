"""Hints of new events, for everybody in this process who waits for some: one listening connection for all of them.

A hint may be lost, and workers send none: readers that wait also poll.
"""

import asyncio
import contextlib
from collections import defaultdict

from steward.kit.coordination.invalidation import Invalidation
from steward.kit.db.pool import Database
from steward.kit.events.notify import HintListener, listen
from steward.kit.security.caller import TenantId


class EventHints:
    """Listens from the first who wants to hear on."""

    def __init__(self, url: str, channel: str) -> None:
        self._url = url
        self._channel = channel
        self._listeners: list[HintListener] = []
        self._waiting: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add_listener(self, heard: HintListener) -> None:
        self._listeners.append(heard)
        self._listen()

    async def wait(self, tenant: TenantId, seconds: float) -> None:
        """Until something may have happened in this tenant, and no longer than that."""
        self._listen()
        hint = asyncio.Event()
        self._waiting[tenant].add(hint)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await hint.wait()
        finally:
            self._waiting[tenant].discard(hint)
            if not self._waiting[tenant]:
                del self._waiting[tenant]

    # The invalidation bus calls these two: requests that wait check their access again.

    async def reset(self, _database: Database) -> None:
        self.wake_all()

    def invalidate(self, invalidation: Invalidation) -> None:
        for hint in self._waiting.get(invalidation.organization, ()):
            hint.set()

    def wake_all(self) -> None:
        """Ends all waiting when a process stops."""
        self._heard(None)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _listen(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(
                listen(self._url, self._channel, self._heard), name="event hints"
            )

    def _heard(self, tenants: frozenset[str] | None) -> None:
        for heard in self._listeners:
            heard(tenants)
        for tenant in list(self._waiting if tenants is None else tenants & self._waiting.keys()):
            for hint in self._waiting[tenant]:
                hint.set()
