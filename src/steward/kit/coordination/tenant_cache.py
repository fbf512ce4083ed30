"""Values per organization that seldom change and are needed often, kept in memory while the bus can be trusted."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from steward.kit.coordination.cache_invalidation import Invalidation
from steward.kit.db.pool import Database
from steward.kit.security.caller import TenantId

V = TypeVar("V")

_MAX_ENTRIES = 20_000


class TenantCache(Generic[V]):
    """`load` asks the database; a change of the value is announced on the bus like every change of identity."""

    def __init__(self, load: Callable[[Database, TenantId], Awaitable[V]]) -> None:
        self._load = load
        self._values: dict[str, V] = {}
        self._changes = 0
        self.trusted: Callable[[], bool] = lambda: False

    async def get(self, db: Database, tenant: TenantId) -> V:
        if self.trusted() and tenant in self._values:
            return self._values[tenant]
        before = self._changes
        value = await self._load(db, tenant)
        if self._changes == before and self.trusted():
            if len(self._values) >= _MAX_ENTRIES:
                self._values.clear()
            self._values[tenant] = value
        return value

    async def reset(self, _database: Database) -> None:
        self._changes += 1
        self._values.clear()

    def invalidate(self, invalidation: Invalidation) -> None:
        if invalidation.access_only:
            return
        self._changes += 1
        self._values.pop(invalidation.organization, None)
