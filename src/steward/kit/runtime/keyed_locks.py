"""A lock for each key: what is about the same thing happens one at a time, and everything else goes on."""

import asyncio
from weakref import WeakValueDictionary


class KeyedLocks:
    def __init__(self) -> None:
        # A lock lives for as long as somebody holds or awaits it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, key: str) -> asyncio.Lock:
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        return lock

    def __len__(self) -> int:
        """How many are in use."""
        return len(self._locks)
