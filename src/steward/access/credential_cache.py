"""What a process remembers of callers, so that a known one costs the database nothing.

It also knows a digest of every key there is: a flood of made-up keys is refused without a single query. All of it is
used only while the bus says that it can be trusted, and forgotten organization by organization as changes come in.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable

import msgspec

from steward.access import queries
from steward.api_keys import queries as api_keys
from steward.api_keys.rules import effective_permissions
from steward.kit.db.pool import Database
from steward.kit.runtime.cache_invalidation import Invalidation
from steward.kit.security.caller import Caller, TenantId
from steward.organizations.model import Plan

_MAX_ENTRIES = 100_000


class Credential(msgspec.Struct, frozen=True):
    """A credential that exists. `usable` is false for a revoked key and for a suspended user."""

    caller: Caller
    plan: Plan
    usable: bool
    # Of the person's account: a token or session is good while it carries this one. A key has none.
    generation: int = 0


def _short(digest: bytes) -> int:
    """64 bits of a digest tell keys apart well enough to know that one does not exist."""
    return int.from_bytes(digest[:8], "big")


class CredentialCache:
    def __init__(self, db: Database) -> None:
        self._db = db
        self.trusted: Callable[[], bool] = lambda: False
        self._existing: set[int] = set()
        self._known: dict[Hashable, Credential] = {}
        self._by_organization: dict[str, set[Hashable]] = defaultdict(set)
        self._changes = 0

    async def begin(self, database: Database) -> None:
        self._forget_all()
        # Emptied first: a key that is announced while we read must not be lost.
        self._existing = set()
        self._existing.update(_short(digest) for digest in await api_keys.all_hashes(database))

    def changed(self, announcement: Invalidation) -> None:
        self._changes += 1
        if announcement.new_key is not None:
            self._existing.add(_short(bytes.fromhex(announcement.new_key)))
        for credential in self._by_organization.pop(announcement.organization, ()):
            self._known.pop(credential, None)

    def recall(self, digest: bytes) -> Credential | None:
        """What is remembered of a key, if it may be relied on."""
        return self._known.get(digest) if self.trusted() else None

    async def find_key(self, digest: bytes) -> Credential | None:
        if self.trusted():
            known = self._known.get(digest)
            if known is not None or _short(digest) not in self._existing:
                return known
        return await self._load(digest, lambda: self._load_key(digest))

    async def find_user(self, organization_id: str, user_id: str) -> Credential | None:
        credential = (organization_id, user_id)
        if self.trusted() and (known := self._known.get(credential)):
            return known
        return await self._load(credential, lambda: self._load_user(organization_id, user_id))

    async def _load(
        self, credential: Hashable, load: Callable[[], Awaitable[Credential | None]]
    ) -> Credential | None:
        before = self._changes
        found = await load()
        # Where something changed between the query and now, what was read serves this one request only.
        if found is not None and self._changes == before and self.trusted():
            if len(self._known) >= _MAX_ENTRIES:
                self._forget_all()
            self._known[credential] = found
            self._by_organization[found.caller.tenant].add(credential)
        return found

    async def _load_key(self, digest: bytes) -> Credential | None:
        key = await api_keys.find_by_secret(self._db, digest)
        if key is None:
            return None
        standing = await queries.standing(self._db, key.organization_id, key.created_by)
        if standing is None:
            return None
        caller = Caller(
            tenant=TenantId(key.organization_id),
            plan=standing.plan,
            permissions=effective_permissions(key.permissions, standing.permissions),
            user=key.created_by,
            key=key.id,
        )
        return Credential(caller, standing.plan, key.status == "active")

    async def _load_user(self, organization_id: str, user_id: str) -> Credential | None:
        standing = await queries.standing(self._db, organization_id, user_id)
        if standing is None:
            return None
        caller = Caller(
            tenant=TenantId(organization_id),
            plan=standing.plan,
            permissions=standing.permissions,
            user=user_id,
        )
        return Credential(caller, standing.plan, standing.active, standing.generation)

    def _forget_all(self) -> None:
        self._changes += 1
        self._known.clear()
        self._by_organization.clear()
