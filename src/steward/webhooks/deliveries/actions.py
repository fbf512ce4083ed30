from steward.kit.domain.problems import Conflict
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.webhooks import queries as webhooks
from steward.webhooks.deliveries import queries
from steward.webhooks.deliveries.model import DeliveryDetails
from steward.webhooks.rules import require_active


async def retry(ctx: Target) -> DeliveryDetails:
    async with ctx.transaction() as ctx:
        status = await webhooks.lock_status(ctx.tx, ctx.tenant, ctx.parent)
        old = await records.lock(ctx.on(ctx.id, within=ctx.parent), queries.DELIVERIES)
        queries.require_visible(ctx.who, old)
        ctx.precondition.require(await queries.details(ctx.tx, ctx.who, old))
        require_active(status)
        if not await queries.retry(ctx.tx, ctx.tenant, ctx.id, ctx.now_ms):
            raise Conflict("This delivery is being sent at this moment.")
        ctx.tx.notify(ctx.tenant)
        return await queries.read(ctx.tx, ctx.who, ctx.id, within=ctx.parent)
