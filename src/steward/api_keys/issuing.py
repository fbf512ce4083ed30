"""Makes a key: for whoever asks through the API, and for an organization that is being founded."""

from steward.api_keys import queries
from steward.api_keys.model import (
    CreatedApiKey,
    KeyStatus,
    NewApiKey,
    new_secret,
    secret_hash,
    shown_prefix,
)
from steward.kit import clock
from steward.kit.bus import Announcer
from steward.kit.caller import TenantId
from steward.kit.db import Transaction
from steward.kit.ids import new_id


async def issue_key(
    tx: Transaction, bus: Announcer, tenant: TenantId, user_id: str, new: NewApiKey
) -> CreatedApiKey:
    secret = new_secret()
    key = CreatedApiKey(
        new_id("key"),
        new.name,
        new.permissions,
        shown_prefix(secret),
        KeyStatus.ACTIVE,
        clock.now(),
        user_id,
        None,
        secret,
    )
    digest = secret_hash(secret)
    await queries.insert(tx, tenant, key, digest)
    await bus.announce(tx, tenant, new_key=digest.hex())
    return key
