from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Conflict
from steward.kit.http.route import NoBody
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller
from steward.webhooks import queries
from steward.webhooks.deliveries import queries as delivery_queries
from steward.webhooks.deliveries.model import DeliveryDetails, require_active


async def retry(
    db: Database, who: Caller, webhook_id: str, id: str, _body: NoBody, if_match: str | None
) -> DeliveryDetails:
    async with db.transaction() as tx:
        status = await queries.hold(tx, who.tenant, webhook_id)
        old = await records.lock(tx, delivery_queries.DELIVERIES, who.tenant, id, within=webhook_id)
        records.require_match(await delivery_queries.details(tx, who.tenant, old), if_match)
        require_active(status)
        if not await delivery_queries.retry(tx, who.tenant, id, clock.now_ms()):
            raise Conflict("This delivery is being sent at this moment.")
        return await delivery_queries.read(tx, who.tenant, id, within=webhook_id)
