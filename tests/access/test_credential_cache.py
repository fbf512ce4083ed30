"""A process that begins to listen must not miss a key that is made at that very moment."""

from typing import Any

from steward.access.credential_cache import CredentialCache
from steward.kit.coordination.cache_invalidation import Invalidation


class NoKeys:
    """Holds no keys yet when it is asked; `meanwhile` happens before its answer arrives."""

    def __init__(self) -> None:
        self._statements = 0
        self.meanwhile = lambda: None

    @property
    def asked(self) -> int:
        """How often for a single key, after all were read at first."""
        return self._statements - 1

    async def fetch(self, *_: Any) -> list[Any]:
        self._statements += 1
        self.meanwhile()
        return []


async def test_a_key_created_during_the_initial_read_is_known() -> None:
    database: Any = NoKeys()
    digest = bytes(range(32))
    cache = CredentialCache(database)
    cache.trusted = lambda: True
    database.meanwhile = lambda: cache.invalidate(Invalidation("ann_1", "org_1", digest.hex()))
    await cache.reset(database)
    await cache.find_key(digest)
    assert database.asked == 1


async def test_a_key_that_does_not_exist_is_not_asked_for() -> None:
    database: Any = NoKeys()
    cache = CredentialCache(database)
    cache.trusted = lambda: True
    await cache.reset(database)
    assert await cache.find_key(bytes(32)) is None
    assert database.asked == 0


async def test_an_untrusted_cache_reads_the_database_each_time() -> None:
    database: Any = NoKeys()
    cache = CredentialCache(database)
    await cache.reset(database)
    await cache.find_key(bytes(32))
    await cache.find_key(bytes(32))
    assert database.asked == 2
