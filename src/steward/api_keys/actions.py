from msgspec.structs import replace

from steward.api_keys import queries
from steward.api_keys.issuing import issue_key
from steward.api_keys.model import (
    CREATION_LIMIT,
    ApiKey,
    CreatedApiKey,
    NewApiKey,
    granted,
    require_held,
    require_room,
    revoked,
    version,
)
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Forbidden, NotFound, Problem, TooManyRequests
from steward.kit.domain.versions import Precondition
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.caller import Caller
from steward.kit.security.rate_limiter import Limiter
from steward.organizations import queries as organizations


def no_such_key() -> NotFound:
    return NotFound("There is no such API key.")


async def create(
    bus: Invalidator, limiter: Limiter, db: Database, who: Caller, new: NewApiKey, *, now: int
) -> CreatedApiKey:
    require_held(who, new.permissions)
    permissions = granted(who, new.permissions)
    if who.user is None:
        raise Forbidden("Only a user, or a key that a user made, can create API keys.")
    verdict = await limiter.take(CREATION_LIMIT, who.tenant)
    if not verdict.allowed:
        raise TooManyRequests(
            "an organization creates at most 10 API keys an hour.", retry_after=verdict.reset_seconds
        )
    try:
        async with db.transaction() as tx:
            # Locked, so that two creations at once can't both see the last free place.
            organization = await organizations.lock(tx, who.tenant)
            if organization is not None:
                require_room(organization.plan, await queries.count_active(tx, who.tenant))
            return await issue_key(
                tx, bus, who.tenant, who.user, replace(new, permissions=permissions), now=now
            )
    except Problem:
        limiter.give_back(CREATION_LIMIT, who.tenant)
        raise


async def revoke(
    bus: Invalidator, db: Database, who: Caller, key_id: str, *, precondition: Precondition, now: int
) -> ApiKey:
    """For ever, and on every process before this returns. Revoking twice changes nothing more."""
    async with db.transaction() as tx:
        key = await queries.lock(tx, who.tenant, key_id)
        if key is None:
            raise no_such_key()
        precondition.require(version(key))
        key = revoked(key)
        await queries.set_status(tx, who.tenant, key)
        await bus.invalidate(tx, who.tenant)
        return key
