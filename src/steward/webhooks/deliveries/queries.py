from steward.kit.db import records
from steward.kit.db.pagination import Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.webhooks.deliveries.model import Attempt, Delivery, DeliveryDetails
from steward.webhooks.deliveries.rules import with_attempts

# Stored in milliseconds; the next attempt is never promised for too early a second.
_SHOWN = {
    "event_type": "(SELECT e.type FROM events e WHERE e.organization_id = $1 AND e.id = event_id)",
    "next_attempt_at": "(due + 999) / 1000",
    "finished_at": "finished / 1000",
}
DELIVERIES = Table("deliveries", Delivery, "delivery", parent="webhook_id", mirrors=_SHOWN)
LISTING = Listing(
    "deliveries",
    json_columns(Delivery, **_SHOWN),
    filters={"status": "status = {}"},
    parent="webhook_id",
)

_ATTEMPTS = sql(
    """SELECT number, started / 1000, duration_ms, status_code, error, response FROM delivery_attempts
       WHERE organization_id = $1 AND delivery_id = $2 ORDER BY number DESC LIMIT 100"""
)
# Every end state goes back to waiting, and what waits already waits no longer; what is being sent is left alone.
_RETRY = sql(
    """WITH retried AS (
           UPDATE deliveries AS dd
           SET status = CASE WHEN dd.attempts = 0 THEN 'pending' ELSE 'retrying' END,
               reason = 'manual_retry', due = $3, lease_until = NULL, finished = NULL
           WHERE dd.organization_id = $1 AND dd.id = $2 AND (dd.lease_until IS NULL OR dd.lease_until < $3)
           RETURNING dd.id
       )
       SELECT id FROM retried"""
)


async def details(db: Database, tenant: TenantId, delivery: Delivery) -> DeliveryDetails:
    rows = await db.fetch(_ATTEMPTS, tenant, delivery.id)
    return with_attempts(delivery, [_attempt(*row) for row in reversed(rows)])


async def read(db: Database, tenant: TenantId, id: str, *, within: str) -> DeliveryDetails:
    return await details(db, tenant, await records.get(db, DELIVERIES, tenant, id, within=within))


async def retry(db: Database, tenant: TenantId, id: str, now_ms: int) -> bool:
    """False for a delivery that is being sent at this moment."""
    return await db.fetchval(_RETRY, tenant, id, now_ms) is not None


def _attempt(
    number: int,
    started: int,
    duration_ms: int,
    status_code: int | None,
    error: str | None,
    response: bytes | None,
) -> Attempt:
    """What came back is somebody else's bytes: whatever isn't text in them is replaced."""
    text = None if response is None else response.decode("utf-8", "replace")
    return Attempt(number, started, duration_ms, status_code, error, text)
