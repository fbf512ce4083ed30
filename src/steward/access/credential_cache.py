"""Caches callers, so that a known one costs no query.

It also holds a digest of every existing key: a flood of made-up keys is refused without a query. The cache is
used only while the invalidation bus is trusted, and invalidated organization by organization as changes
arrive.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable

from steward.access import queries
from steward.access.model import Credential
from steward.api_keys import queries as api_keys
from steward.api_keys.bounds import effective_permissions
from steward.api_keys.model import KeyStatus
from steward.api_keys.rules import end_of
from steward.kit.coordination.cache_invalidation import Invalidation
from steward.kit.db.pool import Database
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.client_address import read_network

_MAX_ENTRIES = 100_000


def _short(digest: bytes) -> int:
    """64 bits of a digest are enough to know that a key does not exist."""
    return int.from_bytes(digest[:8], "big")


class CredentialCache:
    """A key is found by the digest of its secret, a user by organization and identifier."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.trusted: Callable[[], bool] = lambda: False
        self._key_digests: set[int] = set()
        self._entries: dict[Hashable, Credential] = {}
        self._by_organization: dict[str, set[Hashable]] = defaultdict(set)
        self._changes = 0

    async def reset(self, database: Database) -> None:
        self._clear()
        # Cleared first: a key announced while we read must not be lost.
        self._key_digests = set()
        self._key_digests.update(_short(digest) for digest in await api_keys.all_hashes(database))

    def invalidate(self, invalidation: Invalidation) -> None:
        if invalidation.access_only:
            return
        self._changes += 1
        if invalidation.new_key is not None:
            self._key_digests.add(_short(bytes.fromhex(invalidation.new_key)))
        for entry in self._by_organization.pop(invalidation.organization, ()):
            self._entries.pop(entry, None)

    def cached_key(self, digest: bytes) -> Credential | None:
        """Without waiting; None if it isn't cached or the cache can't be trusted."""
        return self._entries.get(digest) if self.trusted() else None

    async def find_key(self, digest: bytes) -> Credential | None:
        if self.trusted():
            cached = self._entries.get(digest)
            if cached is not None or _short(digest) not in self._key_digests:
                return cached
        return await self._load(digest, lambda: self._load_key(digest))

    async def find_user(self, organization_id: str, user_id: str) -> Credential | None:
        entry = (organization_id, user_id)
        if self.trusted() and (cached := self._entries.get(entry)):
            return cached
        return await self._load(entry, lambda: self._load_user(organization_id, user_id))

    async def _load(
        self, entry: Hashable, load: Callable[[], Awaitable[Credential | None]]
    ) -> Credential | None:
        before = self._changes
        found = await load()
        # After a change between the query and now, the result serves this one request only.
        if found is not None and self._changes == before and self.trusted():
            if len(self._entries) >= _MAX_ENTRIES:
                self._clear()
            self._entries[entry] = found
            self._by_organization[found.caller.tenant].add(entry)
        return found

    async def _load_key(self, digest: bytes) -> Credential | None:
        key = await api_keys.find_by_secret(self._db, digest)
        if key is None:
            return None
        creator = await queries.user_access(self._db, key.organization_id, key.created_by)
        if creator is None:
            return None
        caller = Caller(
            tenant=TenantId(key.organization_id),
            plan=creator.plan,
            permissions=effective_permissions(key.permissions, creator.permissions),
            user=key.created_by,
            key=key.id,
        )
        until, over = end_of(key)
        return Credential(
            caller,
            creator.plan,
            key.status == KeyStatus.ACTIVE,
            until=until,
            over=over,
            networks=tuple(map(read_network, key.allowed_addresses)),
        )

    async def _load_user(self, organization_id: str, user_id: str) -> Credential | None:
        access = await queries.user_access(self._db, organization_id, user_id)
        if access is None:
            return None
        caller = Caller(
            tenant=TenantId(organization_id),
            plan=access.plan,
            permissions=access.permissions,
            user=user_id,
        )
        return Credential(caller, access.plan, access.active, access.generation)

    def _clear(self) -> None:
        self._changes += 1
        self._entries.clear()
        self._by_organization.clear()
