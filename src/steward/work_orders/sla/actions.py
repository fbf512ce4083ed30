from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.events.event_types import build_event
from steward.kit.events.publish import publish
from steward.kit.security.caller import Caller
from steward.work_orders.sla import queries
from steward.work_orders.sla.events import UPDATED
from steward.work_orders.sla.model import NewSlaPolicy, SlaPolicy
from steward.work_orders.sla.rules import new_policy


async def put_policy(
    bus: Invalidator,
    db: Database,
    who: Caller,
    new: NewSlaPolicy,
    *,
    precondition: Precondition,
    now: int,
) -> SlaPolicy:
    """Holds for orders that are made, change their priority or resume from now on; deadlines that are set stay."""
    policy = new_policy(new, now)
    async with db.transaction() as tx:
        old = await queries.policy(tx, who.tenant)
        precondition.require(old)
        await queries.put(tx, who.tenant, policy)
        if (policy.targets, policy.calendar) != (old.targets, old.calendar):
            told = build_event(UPDATED, policy, tenant=who.tenant, now=now, old=old, about=who.tenant)
            await publish(tx, who.tenant, [told], now)
        await bus.invalidate(tx, who.tenant)
    return policy
