from steward.api_keys import bounds, queries, rules
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
from steward.kit.domain.problems import Problem
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.organizations import queries as organizations


async def create(bus: Invalidator, limiter: Limiter, ctx: Context, new: NewApiKey) -> CreatedApiKey:
    bounds.check_bounds(new, ctx.now)
    granted = bounds.grant(new, ctx.who, await queries.bounds(ctx.db, ctx.tenant, ctx.who.key), ctx.now)
    created_by = rules.require_creator(ctx.who)
    words = "an organization creates at most 10 API keys an hour."
    await limiter.require(CREATION_LIMIT, ctx.tenant, words)
    try:
        async with ctx.transaction() as ctx:
            # Locked, so that two concurrent creations can't both take the last free place.
            organization = await organizations.lock(ctx.tx, ctx.tenant)
            if organization is not None:
                rules.require_room(organization.plan, await queries.count_active(ctx.tx, ctx.tenant, ctx.now))
            key, digest = rules.new_api_key(granted, created_by, ctx.now)
            await queries.insert(ctx.tx, ctx.tenant, key, digest)
            await records.publish(ctx, CREATED, key)
            await bus.invalidate(ctx.tx, ctx.tenant, new_key=digest.hex())
            return key
    except Problem:
        limiter.give_back(CREATION_LIMIT, ctx.tenant)
        raise


async def change(bus: Invalidator, ctx: Target, changes: ApiKeyChanges) -> ApiKey:
    """Applies at once in every process, like a revocation."""
    bounds.check_bounds(changes, ctx.now)
    async with ctx.transaction() as ctx:
        # Locked before the key, as everywhere: a key that works again takes one of the plan's places.
        organization = await organizations.lock(ctx.tx, ctx.tenant)
        key = await _lock(ctx)
        rules.require_changeable(key)
        held = await queries.permissions_of_creator(ctx.tx, ctx.tenant, key.created_by)
        rules.require_less(key, ctx.who, held)
        new = rules.changed(key, changes, ctx.who, held, ctx.now)
        bounds.require_within(new, await queries.bounds(ctx.tx, ctx.tenant, ctx.who.key))
        if organization is not None and rules.is_over(key, ctx.now) and not rules.is_over(new, ctx.now):
            rules.require_room(organization.plan, await queries.count_active(ctx.tx, ctx.tenant, ctx.now))
        if new != key:
            await queries.change(ctx.tx, ctx.tenant, new)
            await records.publish(ctx, UPDATED, new, old=key)
            await bus.invalidate(ctx.tx, ctx.tenant)
        return new


async def rotate(bus: Invalidator, ctx: Target, rotation: ApiKeyRotation) -> CreatedApiKey:
    """The key keeps its identifier, permissions, limits and usage."""
    async with ctx.transaction() as ctx:
        key = await _lock(ctx)
        rules.require_changeable(key)
        rules.require_holder(key, ctx.who)
        held = await queries.permissions_of_creator(ctx.tx, ctx.tenant, key.created_by)
        rules.require_less(key, ctx.who, held)
        bounds.require_within(key, await queries.bounds(ctx.tx, ctx.tenant, ctx.who.key))
        new, digest = rules.rotated(key, rotation.grace_seconds, ctx.now)
        await queries.rotate(ctx.tx, ctx.tenant, new, digest)
        await records.publish(ctx, ROTATED, rules.without_secret(new), old=key)
        await bus.invalidate(ctx.tx, ctx.tenant, new_key=digest.hex())
        return new


async def _lock(ctx: Target) -> ApiKey:
    key = await queries.lock(ctx.tx, ctx.tenant, ctx.id)
    if key is None:
        raise rules.no_such_key()
    ctx.precondition.require(rules.versioned_part(key))
    return key


async def revoke(bus: Invalidator, ctx: Target) -> ApiKey:
    """For ever, and in every process before this returns. Revoking twice changes nothing more."""
    async with ctx.transaction() as ctx:
        key = await _lock(ctx)
        revoked = rules.revoked(key)
        if revoked != key:
            await queries.set_status(ctx.tx, ctx.tenant, revoked)
            await records.publish(ctx, REVOKED, revoked, old=key)
        await bus.invalidate(ctx.tx, ctx.tenant)
        return revoked
