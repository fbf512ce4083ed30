"""A lock for each key: work on the same key runs one at a time, other work in parallel."""

import asyncio
from weakref import WeakValueDictionary


class KeyedLocks:
    def __init__(self) -> None:
        # A lock exists while a task holds or awaits it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, key: str) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())
