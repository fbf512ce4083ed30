"""Finds waiting deliveries; claims, outcomes and repairs have files of their own.

Queries about all tenants take a list of them, so that a sharded database can be asked shard by shard.
"""

from collections.abc import AsyncIterator, Collection, Iterable

from steward.kit.db.partitions import DAY_SECONDS, first_id
from steward.kit.db.query import Database, Row, query, sql
from steward.webhook_delivery.model import LANES, Lane, WebhookKey
from steward.webhooks.deliveries.queries import SKIP_REASON

# The reason of deliveries that end because their webhook was deleted.
WEBHOOK_DELETED = "webhook_deleted"

# After all identifiers, those of clocks that are ahead included: they are hexadecimal.
END_OF_ALL_IDS = "dlv_g"

ENGINE = "the worker serves all tenants, in turn"

# A forward scan of the index of waiting deliveries, of all tenants: it holds nothing else, so that an empty scan costs one look
# into each partition, for any number of tenants and webhooks. The first row of a lane is the earliest; the rest of the last lane
# of a page is skipped. Pages instead of a recursive query: a lane with few deliveries costs a row and not a look into every
# partition, and a sharded database runs it unchanged. The page sizes are literals: for a LIMIT that is a parameter the planner
# expects a tenth of the table, and sorts all of it.
_SMALL_PAGE, _LARGE_PAGE = 32, 1000
_WAITING_PAGES = {
    size: sql(
        f"""SELECT page.organization_id, page.webhook_id, page.status, min(page.due), count(*) FROM (
               SELECT d.organization_id, d.webhook_id, d.status, d.due FROM deliveries d
               WHERE d.due IS NOT NULL AND (d.organization_id, d.webhook_id, d.status) > ($1::text, $2::text, $3::text)
                     AND d.id < $4
               ORDER BY d.organization_id, d.webhook_id, d.status, d.due LIMIT {size}) page
           GROUP BY page.organization_id, page.webhook_id, page.status
           ORDER BY page.organization_id, page.webhook_id, page.status""",
        across=ENGINE,
    )
    for size in (_SMALL_PAGE, _LARGE_PAGE)
}
# Most of a page with fewer lanes is wasted; small pages skip deep lanes sooner.
_LANES_WORTH_A_PAGE = 3

_SKIP_REASONS = sql(
    f"""SELECT w.organization_id, w.id, {SKIP_REASON}
       FROM unnest($1::text[], $2::text[]) AS asked (organization_id, id)
       JOIN webhooks w ON w.organization_id = asked.organization_id AND w.id = asked.id
       JOIN organizations o ON o.id = w.organization_id
       WHERE w.organization_id = ANY ($1::text[])""",
    across=ENGINE,
)

# The earliest of each lane costs one index lookup, however many wait behind it. The tenants come from a subquery, so that the
# planner estimates their number without knowing them: otherwise it replans each time for one tenant, over all partitions, which
# takes ten times as long as the query.
_FIRST_OF_LANE = """LEFT JOIN LATERAL (SELECT d.due FROM deliveries d
                          WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id
                                AND d.status = '{0}' AND d.due IS NOT NULL AND d.id < $2
                          ORDER BY d.due LIMIT 1) {0} ON true"""
_WAITING_WEBHOOKS = sql(
    f"""SELECT w.organization_id, w.id, {SKIP_REASON} AS skipped, pending.due AS pending, retrying.due AS retrying
       FROM webhooks w JOIN organizations o ON o.id = w.organization_id {" ".join(map(_FIRST_OF_LANE.format, LANES))}
       WHERE w.organization_id = ANY (ARRAY(SELECT unnest($1::text[])))
             AND (pending.due IS NOT NULL OR retrying.due IS NOT NULL)""",
    across=ENGINE,
)

# Ends the waiting deliveries of a webhook that takes none any more, a batch at a time; those under way settle by themselves.
_CANCEL_WAITING = sql(
    f"""WITH found AS MATERIALIZED (
           SELECT {SKIP_REASON} AS reason FROM webhooks w JOIN organizations o ON o.id = $1
           WHERE w.organization_id = $1 AND w.id = $2
       ), verdict AS MATERIALIZED (
           SELECT reason, 'skipped' AS status FROM found
           UNION ALL
           SELECT '{WEBHOOK_DELETED}', 'cancelled' WHERE NOT EXISTS (SELECT 1 FROM found)
       ), waiting AS MATERIALIZED (
           SELECT d.id FROM deliveries d
           WHERE d.organization_id = $1 AND d.webhook_id = $2 AND d.status IN ('pending', 'retrying')
                 AND d.due IS NOT NULL AND coalesce(d.lease_until, 0) <= $3::bigint
                 AND (SELECT reason FROM verdict) IS NOT NULL
           LIMIT $4
           FOR UPDATE SKIP LOCKED
       ), ended AS (
           UPDATE deliveries AS dd
           SET status = verdict.status, reason = verdict.reason, due = NULL, lease_until = NULL, claimed_by = NULL,
               finished = $3::bigint
           FROM waiting, verdict
           WHERE dd.organization_id = $1 AND dd.id = waiting.id
           RETURNING dd.status
       )
       SELECT status, count(*) FROM ended GROUP BY status""",
)

_PAST_DUE = sql(
    """SELECT w.organization_id, w.id, late.oldest, late.count,
              EXISTS (SELECT 1 FROM deliveries l WHERE l.organization_id = w.organization_id AND l.webhook_id = w.id
                                                       AND l.lease_until > $1) AS busy
       FROM unnest($2::text[], $3::text[]) AS asked (organization_id, id)
       JOIN webhooks w ON w.organization_id = asked.organization_id AND w.id = asked.id
       CROSS JOIN LATERAL (
           SELECT min(waiting.due) AS oldest, count(*) AS count FROM (
               (SELECT d.due FROM deliveries d
                WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id AND d.status = 'pending'
                      AND d.due <= $1 ORDER BY d.due LIMIT 1000)
               UNION ALL
               (SELECT d.due FROM deliveries d
                WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id AND d.status = 'retrying'
                      AND d.due <= $1 ORDER BY d.due LIMIT 1000)) waiting) late
       WHERE w.organization_id = ANY ($2::text[]) AND w.status = 'active' AND late.count > 0""",
    across="the worker's figures are about all tenants",
)
_PAST_DUE_AT_ONCE = 200


async def waiting_lanes(db: Database, end: str) -> dict[WebhookKey, dict[Lane, int]]:
    """The webhooks of all tenants with waiting deliveries before the identifier `end`, and when the first of each lane is due."""
    found: dict[WebhookKey, dict[Lane, int]] = {}
    async for page in _pages_of_waiting(db, end):
        for key, lanes in page.items():
            found.setdefault(key, {}).update(lanes)
    return found


async def _pages_of_waiting(db: Database, end: str) -> AsyncIterator[dict[WebhookKey, dict[Lane, int]]]:
    last, size = ("", "", ""), _LARGE_PAGE
    while True:
        rows = await db.fetch(_WAITING_PAGES[size], *last, end)
        page: dict[WebhookKey, dict[Lane, int]] = {}
        for tenant, webhook_id, lane, due, _ in rows:
            page.setdefault((tenant, webhook_id), {})[lane] = due
        yield page
        if sum(row[4] for row in rows) < size:
            return
        last = rows[-1][:3]
        size = _LARGE_PAGE if len(rows) >= _LANES_WORTH_A_PAGE else _SMALL_PAGE


async def waiting_webhooks(db: Database, tenants: Iterable[str] | None, now: int) -> list[Row]:
    """The webhooks of these tenants, or of all, with waiting deliveries: why they are skipped, or None, and when the first of
    each lane is due. Deleted webhooks are found only among all.
    """
    if tenants is not None:
        return await db.fetch(_WAITING_WEBHOOKS, list(tenants), end_of_ids(now))
    found: list[Row] = []
    async for page in _pages_of_waiting(db, end_of_ids(now)):
        reasons = await _skip_reasons(db, page)
        found += [
            (*key, reasons.get(key, WEBHOOK_DELETED), *(lanes.get(lane) for lane in LANES))
            for key, lanes in page.items()
        ]
    return found


async def _skip_reasons(db: Database, keys: Collection[WebhookKey]) -> dict[WebhookKey, str | None]:
    """Of the webhooks that still exist."""
    if not keys:
        return {}
    rows = await db.fetch(_SKIP_REASONS, *map(list, zip(*keys, strict=True)))
    return {(tenant, webhook_id): reason for tenant, webhook_id, reason in rows}


def end_of_ids(now_ms: int, prefix: str = "dlv") -> str:
    """After every existing delivery, or event; leaves out the partitions of future days."""
    return first_id(prefix, now_ms // 1000 + DAY_SECONDS)


async def cancel_waiting(db: Database, key: WebhookKey, now: int, most: int) -> dict[str, int]:
    """How many ended, by their new status."""
    return {row[0]: row[1] for row in await db.fetch(_CANCEL_WAITING, *key, now, most)}


async def past_due(db: Database, before: int, now: int) -> list[Row]:
    """Webhooks with deliveries that were due before: the oldest, how many, and whether any is under way."""
    lanes = await waiting_lanes(db, end_of_ids(now))
    late = [key for key, dues in lanes.items() if min(dues.values()) <= before]
    rows: list[Row] = []
    for start in range(0, len(late), _PAST_DUE_AT_ONCE):
        keys = late[start : start + _PAST_DUE_AT_ONCE]
        rows += await db.fetch(_PAST_DUE, before, *map(list, zip(*keys, strict=True)))
    return rows


@query("UPDATE processes SET oldest_due = $2 WHERE id = $1")
async def report_oldest_due(db: Database, process: str, oldest_due: int | None) -> None: ...
