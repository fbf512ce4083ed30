from steward.api_keys import queries, rules
from steward.api_keys.events import CREATED, REVOKED, ROTATED, UPDATED
from steward.api_keys.model import (
    CREATION_LIMIT,
    ApiKey,
    ApiKeyChanges,
    ApiKeyRotation,
    CreatedApiKey,
    NewApiKey,
)
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Problem, TooManyRequests
from steward.kit.domain.versions import Precondition
from steward.kit.events.event_types import build_event
from steward.kit.events.publish import publish
from steward.kit.security.caller import Caller
from steward.organizations import queries as organizations


async def create(
    bus: Invalidator, limiter: Limiter, db: Database, who: Caller, new: NewApiKey, *, now: int
) -> CreatedApiKey:
    rules.check_bounds(new, now)
    granted = rules.grant(new, who, await queries.bounds(db, who.tenant, who.key), now)
    created_by = rules.require_creator(who)
    allowance = await limiter.take(CREATION_LIMIT, who.tenant)
    if not allowance.allowed:
        raise TooManyRequests(
            "an organization creates at most 10 API keys an hour.", retry_after=allowance.reset_seconds
        )
    try:
        async with db.transaction() as tx:
            # Locked, so that two creations at once can't both see the last free place.
            organization = await organizations.lock(tx, who.tenant)
            if organization is not None:
                rules.require_room(organization.plan, await queries.count_active(tx, who.tenant, now))
            key, digest = rules.new_api_key(granted, created_by, now)
            await queries.insert(tx, who.tenant, key, digest)
            await publish(tx, who.tenant, [build_event(CREATED, key, tenant=who.tenant, now=now)], now)
            await bus.invalidate(tx, who.tenant, new_key=digest.hex())
            return key
    except Problem:
        limiter.give_back(CREATION_LIMIT, who.tenant)
        raise


async def change(
    bus: Invalidator,
    db: Database,
    who: Caller,
    key_id: str,
    changes: ApiKeyChanges,
    *,
    precondition: Precondition,
    now: int,
) -> ApiKey:
    """At once on every process, like a revocation."""
    rules.check_bounds(changes, now)
    async with db.transaction() as tx:
        # Before the key, as everywhere: a key that works again takes one of the plan's places.
        organization = await organizations.lock(tx, who.tenant)
        key = await _lock(tx, who, key_id, precondition)
        held = await queries.permissions_of_creator(tx, who.tenant, key.created_by)
        rules.require_held(key, who, held)
        new = rules.changed(key, changes, who, held, now)
        rules.require_within(new, await queries.bounds(tx, who.tenant, who.key))
        if organization is not None and rules.is_over(key, now) and not rules.is_over(new, now):
            rules.require_room(organization.plan, await queries.count_active(tx, who.tenant, now))
        if new != key:
            await queries.change(tx, who.tenant, new)
            told = build_event(UPDATED, new, tenant=who.tenant, now=now, old=key)
            await publish(tx, who.tenant, [told], now)
            await bus.invalidate(tx, who.tenant)
        return new


async def rotate(
    bus: Invalidator,
    db: Database,
    who: Caller,
    key_id: str,
    rotation: ApiKeyRotation,
    *,
    precondition: Precondition,
    now: int,
) -> CreatedApiKey:
    """The key stays what it is, with its permissions, limits and usage."""
    async with db.transaction() as tx:
        key = await _lock(tx, who, key_id, precondition)
        rules.require_holder(key, who)
        rules.require_held(key, who, await queries.permissions_of_creator(tx, who.tenant, key.created_by))
        rules.require_within(key, await queries.bounds(tx, who.tenant, who.key))
        new, digest = rules.rotated(key, rotation.grace_seconds, now)
        await queries.rotate(tx, who.tenant, new, digest)
        told = build_event(ROTATED, rules.without_secret(new), tenant=who.tenant, now=now, old=key)
        await publish(tx, who.tenant, [told], now)
        await bus.invalidate(tx, who.tenant, new_key=digest.hex())
        return new


async def _lock(tx: Database, who: Caller, key_id: str, precondition: Precondition) -> ApiKey:
    """One that can still be changed."""
    key = await queries.lock(tx, who.tenant, key_id)
    if key is None:
        raise rules.no_such_key()
    precondition.require(rules.versioned_part(key))
    rules.require_changeable(key)
    return key


async def revoke(
    bus: Invalidator, db: Database, who: Caller, key_id: str, *, precondition: Precondition, now: int
) -> ApiKey:
    """For ever, and on every process before this returns. Revoking twice changes nothing more."""
    async with db.transaction() as tx:
        key = await queries.lock(tx, who.tenant, key_id)
        if key is None:
            raise rules.no_such_key()
        precondition.require(rules.versioned_part(key))
        revoked = rules.revoked(key)
        if revoked != key:
            await queries.set_status(tx, who.tenant, revoked)
            told = build_event(REVOKED, revoked, tenant=who.tenant, now=now, old=key)
            await publish(tx, who.tenant, [told], now)
        await bus.invalidate(tx, who.tenant)
        return revoked
