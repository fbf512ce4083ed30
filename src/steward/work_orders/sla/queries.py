import msgspec

from steward.kit.db.query import Database, query, sql
from steward.kit.security.caller import TenantId
from steward.work_orders.sla.model import DEFAULT_POLICY, SlaPolicy

_GET = sql("SELECT policy, updated FROM sla_policies WHERE organization_id = $1")
_PUT = sql(
    """INSERT INTO sla_policies (organization_id, policy, updated) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id) DO UPDATE SET policy = excluded.policy, updated = excluded.updated"""
)


async def policy(db: Database, tenant: TenantId) -> SlaPolicy:
    row = await db.fetchrow(_GET, tenant)
    if row is None:
        return DEFAULT_POLICY
    return msgspec.convert({**row["policy"], "updated": row["updated"]}, SlaPolicy)


async def put(db: Database, tenant: TenantId, policy: SlaPolicy) -> None:
    await db.execute(_PUT, tenant, policy, policy.updated)


# At most as many of each kind as are wanted: many may be missed at once.
@query(
    """(SELECT organization_id, id FROM work_orders
        WHERE status = 'Open' AND sla_response_breached_at IS NULL AND sla_response_deadline <= $1
        ORDER BY sla_response_deadline LIMIT $2)
       UNION
       (SELECT organization_id, id FROM work_orders
        WHERE status IN ('Open', 'InProgress') AND sla_resolution_breached_at IS NULL
          AND sla_resolution_deadline <= $1
        ORDER BY sla_resolution_deadline LIMIT $2)
       LIMIT $2""",
    across="the clock looks for missed deadlines in every tenant, and then acts in each by itself",
)
async def missed(db: Database, now: int, most: int) -> list[tuple[TenantId, str]]:
    """Orders with a passed deadline that hasn't been published."""
