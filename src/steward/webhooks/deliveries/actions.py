from steward.kit.db.pool import Database
from steward.kit.domain.problems import Conflict
from steward.kit.domain.versions import Precondition
from steward.kit.records import records
from steward.kit.security.caller import Caller
from steward.webhooks import queries as webhooks
from steward.webhooks.deliveries import queries
from steward.webhooks.deliveries.model import DeliveryDetails
from steward.webhooks.rules import require_active


async def retry(
    db: Database, who: Caller, webhook_id: str, id: str, *, precondition: Precondition, now: int
) -> DeliveryDetails:
    async with db.transaction() as tx:
        status = await webhooks.lock_status(tx, who.tenant, webhook_id)
        old = await records.lock(tx, queries.DELIVERIES, who.tenant, id, within=webhook_id)
        queries.require_visible(who, old)
        precondition.require(await queries.details(tx, who, old))
        require_active(status)
        if not await queries.retry(tx, who.tenant, id, now):
            raise Conflict("This delivery is being sent at this moment.")
        tx.notify(who.tenant)
        return await queries.read(tx, who, id, within=webhook_id)
