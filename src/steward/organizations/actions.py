from msgspec.structs import replace

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import NotFound
from steward.kit.events.event_types import build_event
from steward.kit.events.publish import publish
from steward.kit.records.context import Target
from steward.kit.security.caller import TenantId
from steward.organizations import queries, rules
from steward.organizations.events import UPDATED
from steward.organizations.model import Organization, OrganizationChanges, Plan


async def change(ctx: Target, changes: OrganizationChanges) -> Organization:
    async with ctx.transaction() as ctx:
        old = await queries.lock(ctx.tx, ctx.tenant)
        if old is None:
            raise rules.no_such_organization()
        ctx.precondition.require(old)
        return await _write(ctx.tx, ctx.tenant, old, apply(old, changes), ctx.now)


async def _write(
    tx: Transaction, tenant: TenantId, old: Organization, new: Organization, now: int
) -> Organization:
    """The same object if nothing differs."""
    if new == old:
        return old
    new = replace(new, updated=now)
    await queries.update(tx, new)
    await publish(tx, tenant, [build_event(UPDATED, new, tenant=tenant, now=now, old=old)], now)
    return new


async def set_plan(db: Database, bus: Invalidator, tenant: TenantId, plan: Plan, *, now: int) -> Organization:
    """Applies at once in every process: each has confirmed the announcement when this returns."""
    async with db.transaction() as tx:
        old = await queries.lock(tx, tenant)
        if old is None:
            raise NotFound(f"There is no organization {tenant}.")
        new = await _write(tx, tenant, old, replace(old, plan=plan), now)
        await bus.invalidate(tx, tenant)
        return new
