"""What an invalidation holds, and the interfaces of those who send and receive one."""

from typing import Protocol

import msgspec

from steward.kit.db.pool import Database, Transaction


class Invalidation(msgspec.Struct, frozen=True, omit_defaults=True):
    """An organization about which something changed, and the digest of a key that is new in it.

    With `access_only`, nothing that is cached has changed: a session or a link has ended, so open streams check their access.
    """

    token: str
    organization: str
    new_key: str | None = None
    access_only: bool = False


class InvalidatedCache(Protocol):
    """A cache of data that invalidations are about."""

    async def reset(self, database: Database) -> None:
        """Empties the cache: invalidations may have been missed."""

    def invalidate(self, invalidation: Invalidation) -> None: ...


class Invalidator(Protocol):
    async def invalidate(
        self,
        transaction: Transaction,
        organization: str,
        *,
        new_key: str | None = None,
        access_only: bool = False,
    ) -> None: ...
