"""Makes a key: for whoever asks through the API, and for an organization that is being founded."""

from steward.api_keys import queries
from steward.api_keys.model import CreatedApiKey, KeyStatus, NewApiKey, new_secret, secret_hash, shown_prefix
from steward.kit.db.pool import Transaction
from steward.kit.domain.ids import new_id
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.caller import TenantId


async def issue_key(
    tx: Transaction, bus: Invalidator, tenant: TenantId, user_id: str, new: NewApiKey, *, now: int
) -> CreatedApiKey:
    secret = new_secret()
    key = CreatedApiKey(
        new_id("key"),
        new.name,
        new.permissions,
        shown_prefix(secret),
        KeyStatus.ACTIVE,
        now,
        user_id,
        None,
        secret,
    )
    digest = secret_hash(secret)
    await queries.insert(tx, tenant, key, digest)
    await bus.invalidate(tx, tenant, new_key=digest.hex())
    return key
