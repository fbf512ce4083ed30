"""A new password, whoever sets it."""

from steward.kit.db.pool import Transaction
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.users.accounts import queries as account_queries


async def set_password(
    tx: Transaction, bus: Invalidator, account_id: str, password_hash: str, now: int, *, own: bool
) -> int:
    """Whatever the old one opened is over, on every process before the caller hears of it. Returns the new generation.

    `own` tells that the holder chose it, so that nobody else knows it.
    """
    generation = await account_queries.set_password(tx, account_id, password_hash, now, own=own)
    await account_queries.end_logins(tx, account_id)
    for organization in await account_queries.organizations(tx, account_id):
        await bus.invalidate(tx, organization)
    return generation
