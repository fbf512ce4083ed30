"""What is said of a change to those who may have cached what it changes."""

from typing import Protocol

import msgspec

from steward.kit.db.pool import Database, Transaction


class Invalidation(msgspec.Struct, frozen=True, omit_defaults=True):
    """An organization about which something changed, and the digest of a key that is new in it."""

    token: str
    organization: str
    new_key: str | None = None


class InvalidatedCache(Protocol):
    """Whoever keeps in memory what invalidations are about."""

    async def reset(self, database: Database) -> None:
        """Forget everything and start over: invalidations may have been missed."""

    def invalidate(self, invalidation: Invalidation) -> None: ...


class Invalidator(Protocol):
    async def invalidate(
        self, transaction: Transaction, organization: str, *, new_key: str | None = None
    ) -> None: ...
