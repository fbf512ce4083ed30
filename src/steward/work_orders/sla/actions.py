from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.work_orders.sla import queries
from steward.work_orders.sla.events import UPDATED
from steward.work_orders.sla.model import NewSlaPolicy, SlaPolicy
from steward.work_orders.sla.rules import new_policy


async def put_policy(bus: Invalidator, ctx: Target, new: NewSlaPolicy) -> SlaPolicy:
    """Applies to orders that are created, change priority or resume from now on; existing deadlines stay."""
    policy = new_policy(new, ctx.now)
    async with ctx.transaction() as ctx:
        old = await queries.policy(ctx.tx, ctx.tenant)
        ctx.precondition.require(old)
        await queries.put(ctx.tx, ctx.tenant, policy)
        if (policy.targets, policy.calendar) != (old.targets, old.calendar):
            await records.publish(ctx, UPDATED, policy, old=old, about=ctx.tenant)
        await bus.invalidate(ctx.tx, ctx.tenant)
    return policy
