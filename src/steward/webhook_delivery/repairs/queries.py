"""Finds deliveries that would never be made: lost ones, and those that a clock ahead put off."""

from steward.kit.db.partitions import first_id
from steward.kit.db.query import Database, query, sql
from steward.webhook_delivery.model import LEASE_MS

# Deliveries that are neither finished nor due. They have an index of their own, which should be empty.
_TENANTS_WITH_LOST = sql(
    "SELECT DISTINCT organization_id FROM deliveries WHERE due IS NULL AND status IN ('pending', 'retrying')",
    across="the worker repairs the deliveries of all tenants",
)
# A delivery that was claimed or put off by a worker whose clock was ahead.
_MAKE_FUTURE_DUE = sql(
    """WITH later AS MATERIALIZED (
           SELECT d.id FROM deliveries d
           WHERE d.organization_id = $1 AND d.due > $3 AND d.status IN ('pending', 'retrying')
                 AND (d.lease_until > $4
                      OR d.lease_until IS NULL
                         AND (d.id > $5
                              OR EXISTS (SELECT 1 FROM delivery_attempts a
                                         WHERE a.organization_id = $1 AND a.delivery_id = d.id AND a.started > $3)))
           LIMIT $6
           FOR UPDATE SKIP LOCKED
       ), repaired AS (
           UPDATE deliveries AS dd SET due = $2, lease_until = NULL, claimed_by = NULL FROM later
           WHERE dd.organization_id = $1 AND dd.id = later.id
           RETURNING dd.id
       )
       SELECT count(*) FROM repaired"""
)


async def tenants_with_lost(db: Database) -> list[str]:
    return [row[0] for row in await db.fetch(_TENANTS_WITH_LOST)]


@query(
    """WITH lost AS MATERIALIZED (
           SELECT d.id FROM deliveries d
           WHERE d.organization_id = $1 AND d.due IS NULL AND d.status IN ('pending', 'retrying')
           LIMIT $3
           FOR UPDATE SKIP LOCKED
       ), repaired AS (
           UPDATE deliveries AS dd SET due = $2, lease_until = NULL FROM lost
           WHERE dd.organization_id = $1 AND dd.id = lost.id
           RETURNING dd.id
       )
       SELECT count(*) FROM repaired"""
)
async def make_lost_due(db: Database, organization: str, now: int, most: int) -> int: ...


async def make_future_due(db: Database, organization: str, now: int, later: int, most: int) -> int:
    """Makes deliveries due now that only a clock ahead can have claimed or put off until after `later`."""
    ends = (later, later + LEASE_MS, first_id("dlv", later // 1000))
    return int(await db.fetchval(_MAKE_FUTURE_DUE, organization, now, *ends, most))
