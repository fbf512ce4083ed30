from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.caller import Caller
from steward.work_orders.sla import queries
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
        precondition.require(await queries.policy(tx, who.tenant))
        await queries.put(tx, who.tenant, policy)
        await bus.invalidate(tx, who.tenant)
    return policy
