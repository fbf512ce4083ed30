"""What the engine looks for, and what the worker's jobs put right; claims and outcomes have files of their own.

What serves all tenants takes a list of them, so that a sharded database can be asked shard by shard.
"""

from collections.abc import Iterable

from steward.kit.db.partitions import DAY_SECONDS, first_id
from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, sql
from steward.webhook_delivery.model import LEASE_MS, WebhookKey
from steward.webhooks.deliveries.queries import SKIP_REASON

ENGINE = "the worker serves all tenants, in turn"

_TENANTS = sql("SELECT DISTINCT organization_id FROM webhooks", across=ENGINE)

# The earliest of each lane costs one look into an index, however much waits behind it.
_WAITING_WEBHOOKS = sql(
    f"""SELECT w.organization_id, w.id, {SKIP_REASON} AS skipped, first.due AS pending, late.due AS retrying
       FROM webhooks w JOIN organizations o ON o.id = w.organization_id
       LEFT JOIN LATERAL (SELECT d.due FROM deliveries d
                          WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id
                                AND d.status = 'pending' AND d.due IS NOT NULL AND d.id < $2
                          ORDER BY d.due LIMIT 1) first ON true
       LEFT JOIN LATERAL (SELECT d.due FROM deliveries d
                          WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id
                                AND d.status = 'retrying' AND d.due IS NOT NULL AND d.id < $2
                          ORDER BY d.due LIMIT 1) late ON true
       WHERE w.organization_id = ANY ($1::text[]) AND (first.due IS NOT NULL OR late.due IS NOT NULL)""",
    across=ENGINE,
)

# Deliveries of a webhook that takes none any more come to an end, a batch at a time; those under way are left to settle.
_CANCEL_WAITING = sql(
    f"""WITH found AS MATERIALIZED (
           SELECT {SKIP_REASON} AS reason FROM webhooks w JOIN organizations o ON o.id = $1
           WHERE w.organization_id = $1 AND w.id = $2
       ), standing AS MATERIALIZED (
           SELECT reason, 'skipped' AS status FROM found
           UNION ALL
           SELECT 'webhook_deleted', 'cancelled' WHERE NOT EXISTS (SELECT 1 FROM found)
       ), waiting AS MATERIALIZED (
           SELECT d.id FROM deliveries d
           WHERE d.organization_id = $1 AND d.webhook_id = $2 AND d.status IN ('pending', 'retrying')
                 AND d.due IS NOT NULL AND coalesce(d.lease_until, 0) <= $3::bigint
                 AND (SELECT reason FROM standing) IS NOT NULL
           LIMIT $4
           FOR UPDATE SKIP LOCKED
       ), ended AS (
           UPDATE deliveries AS dd
           SET status = standing.status, reason = standing.reason, due = NULL, lease_until = NULL, claimed_by = NULL,
               finished = $3::bigint
           FROM waiting, standing
           WHERE dd.organization_id = $1 AND dd.id = waiting.id
           RETURNING dd.status
       )
       SELECT status, count(*) FROM ended GROUP BY status""",
)

_PAST_DUE = sql(
    """SELECT w.organization_id, w.id, late.oldest, late.count,
              EXISTS (SELECT 1 FROM deliveries l WHERE l.organization_id = w.organization_id AND l.webhook_id = w.id
                                                       AND l.lease_until > $1) AS busy
       FROM webhooks w CROSS JOIN LATERAL (
           SELECT min(waiting.due) AS oldest, count(*) AS count FROM (
               (SELECT d.due FROM deliveries d
                WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id AND d.status = 'pending'
                      AND d.due <= $1 ORDER BY d.due LIMIT 1000)
               UNION ALL
               (SELECT d.due FROM deliveries d
                WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id AND d.status = 'retrying'
                      AND d.due <= $1 ORDER BY d.due LIMIT 1000)) waiting) late
       WHERE w.status = 'active' AND late.count > 0""",
    across="the worker's figures are about all tenants",
)

_REPORT_OLDEST_DUE = sql("UPDATE processes SET oldest_due = $2 WHERE id = $1")

# Deliveries that have neither an end nor a next time.
_MAKE_LOST_DUE = sql(
    """WITH lost AS MATERIALIZED (
           SELECT d.id FROM deliveries d
           WHERE d.organization_id = $1 AND d.due IS NULL AND d.status IN ('pending', 'retrying')
           LIMIT $3
           FOR UPDATE SKIP LOCKED
       ), mended AS (
           UPDATE deliveries AS dd SET due = $2, lease_until = NULL FROM lost
           WHERE dd.organization_id = $1 AND dd.id = lost.id
           RETURNING dd.id
       )
       SELECT count(*) FROM mended"""
)

# From webhook to webhook through the index, however many deliveries wait for each.
_DELETED_WEBHOOKS_WAITED_FOR = sql(
    """WITH RECURSIVE waited_for AS (
           (SELECT d.webhook_id FROM deliveries d
            WHERE d.organization_id = $1 AND d.due IS NOT NULL ORDER BY d.webhook_id LIMIT 1)
           UNION ALL
           SELECT next.webhook_id FROM waited_for CROSS JOIN LATERAL (
               SELECT d.webhook_id FROM deliveries d
               WHERE d.organization_id = $1 AND d.due IS NOT NULL AND d.webhook_id > waited_for.webhook_id
               ORDER BY d.webhook_id LIMIT 1) next
       )
       SELECT waited_for.webhook_id FROM waited_for
       WHERE NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.organization_id = $1 AND w.id = waited_for.webhook_id)"""
)

# A delivery that was claimed or put off by a clock that was ahead.
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
       ), mended AS (
           UPDATE deliveries AS dd SET due = $2, lease_until = NULL, claimed_by = NULL FROM later
           WHERE dd.organization_id = $1 AND dd.id = later.id
           RETURNING dd.id
       )
       SELECT count(*) FROM mended"""
)


async def waiting_webhooks(db: Database, tenants: Iterable[str] | None, now: int) -> list[Row]:
    """The webhooks of these tenants, or of all, that have deliveries waiting: why they are sent nothing, if they
    aren't, and when the first of each lane falls due.
    """
    wanted = [row[0] for row in await db.fetch(_TENANTS)] if tenants is None else list(tenants)
    return await db.fetch(_WAITING_WEBHOOKS, wanted, end_of_ids(now)) if wanted else []


def end_of_ids(now_ms: int, prefix: str = "dlv") -> str:
    """Behind every delivery that exists, or every event; the partitions of days to come are then left out."""
    return first_id(prefix, now_ms // 1000 + DAY_SECONDS)


async def cancel_waiting(db: Database, key: WebhookKey, now: int, most: int) -> dict[str, int]:
    """How many came to an end, by the status that they have now."""
    return {row[0]: row[1] for row in await db.fetch(_CANCEL_WAITING, *key, now, most)}


async def past_due(db: Database, before: int) -> list[Row]:
    """Webhooks with deliveries that were due by then: the oldest, how many, and whether any is under way."""
    return await db.fetch(_PAST_DUE, before)


async def report_oldest_due(db: Database, process: str, oldest_due: int | None) -> None:
    await db.execute(_REPORT_OLDEST_DUE, process, oldest_due)


async def make_lost_due(db: Database, organization: str, now: int, most: int) -> int:
    return int(await db.fetchval(_MAKE_LOST_DUE, organization, now, most))


async def deleted_webhooks_waited_for(db: Database, organization: str) -> list[str]:
    """Webhooks that are gone and for which deliveries still wait."""
    return [row[0] for row in await db.fetch(_DELETED_WEBHOOKS_WAITED_FOR, organization)]


async def make_future_due(db: Database, organization: str, now: int, later: int, most: int) -> int:
    """Deliveries that only a clock ahead can have claimed or put off until after `later` fall due now."""
    return int(
        await db.fetchval(
            _MAKE_FUTURE_DUE, organization, now, later, later + LEASE_MS, first_id("dlv", later // 1000), most
        )
    )
