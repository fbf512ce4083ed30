from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.domain.versions import Precondition
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.caller import Caller, TenantId
from steward.organizations import queries, rules
from steward.organizations.model import Organization, OrganizationChanges, Plan


async def change(
    db: Database, who: Caller, changes: OrganizationChanges, *, precondition: Precondition, now: int
) -> Organization:
    async with db.transaction() as tx:
        old = await queries.lock(tx, who.tenant)
        if old is None:
            raise rules.no_such_organization()
        precondition.require(old)
        new = rules.changed_organization(old, changes, now)
        if new != old:
            await queries.update(tx, new)
        return new


async def set_plan(db: Database, bus: Invalidator, tenant: TenantId, plan: Plan, *, now: int) -> Organization:
    """Acts at once on every process: the announcement is heard before this returns."""
    async with db.transaction() as tx:
        old = await queries.lock(tx, tenant)
        if old is None:
            raise NotFound(f"There is no organization {tenant}.")
        new = rules.with_plan(old, plan, now)
        await queries.update(tx, new)
        await bus.invalidate(tx, tenant)
        return new
