"""Who holds what: the statements by which workers take deliveries, give them back, and free those of dead workers."""

from collections.abc import Mapping, Sequence

from steward.kit.db.query import Database, sql
from steward.kit.db.sharding import by_shard, tenants_of
from steward.organizations.model import PLANS_WITHOUT_API
from steward.webhook_delivery.model import (
    MAX_IN_FLIGHT,
    MAX_WHILE_FAILING,
    TEST_EVENT,
    Claim,
    ClaimedDelivery,
    Lane,
    WebhookKey,
    WebhookTarget,
)
from steward.webhook_delivery.queries import ENGINE, end_of_ids

# One worker may hold as many deliveries of a webhook as it likes, since it counts by itself how many are under way. As soon as
# two hold some, they hold no more together than may be under way. One statement, and yet no two workers ever count the same
# places as free: what a statement sees was settled when it began, so that a claim which committed since then is not in its
# count. Therefore every claim leaves a mark on the webhook: `seen` is the row as it was when the statement began, `held` is
# the same row under lock, as it is now; where the marks differ, somebody was faster, and the webhook is left for the next
# time. What is chosen comes through an array, of which the planner expects few elements: of a LIMIT that it can't know it
# expects a tenth of the table, and then reads all of it.
_CLAIM = sql(
    f"""WITH asked AS MATERIALIZED (
           SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) AS asked (organization_id, id, wanted, ours)
       ), seen AS MATERIALIZED (
           SELECT w.organization_id, w.id, w.claims FROM asked
           JOIN webhooks w ON w.organization_id = asked.organization_id AND w.id = asked.id
           WHERE w.organization_id = ANY ($1::text[])
       ), held AS MATERIALIZED (
           SELECT w.organization_id, w.id, w.url, w.secrets, w.failing_since IS NOT NULL AS failing, w.claims,
                  asked.wanted, asked.ours
           FROM asked JOIN webhooks w ON w.organization_id = asked.organization_id AND w.id = asked.id
           WHERE w.organization_id = ANY ($1::text[]) AND w.status = 'active'
                 AND EXISTS (SELECT 1 FROM organizations o
                             WHERE o.id = w.organization_id AND o.id = ANY ($1::text[])
                                   AND o.plan NOT IN ({PLANS_WITHOUT_API}))
           FOR NO KEY UPDATE OF w SKIP LOCKED
       ), counted AS MATERIALIZED (
           SELECT held.*, CASE WHEN held.failing THEN $11::int ELSE $10::int END AS most, (
                      SELECT count(*) FROM deliveries l
                      WHERE l.organization_id = held.organization_id AND l.organization_id = ANY ($1::text[])
                            AND l.webhook_id = held.id AND l.lease_until > $8::bigint AND l.id < $12
                            AND l.claimed_by IS DISTINCT FROM $6) AS theirs
           FROM held JOIN seen ON seen.organization_id = held.organization_id AND seen.id = held.id
           WHERE seen.claims = held.claims
       ), free AS MATERIALIZED (
           SELECT organization_id, id, url, secrets, failing, theirs > 0 AS shared,
                  CASE WHEN theirs > 0 OR failing THEN least(wanted, most - ours - theirs) ELSE wanted END AS slots
           FROM counted
       ), marked AS (
           UPDATE webhooks AS w
           SET claims = w.claims + 1,
               claimed_by = CASE WHEN free.shared THEN array_append(array_remove(w.claimed_by, $6), $6) ELSE ARRAY[$6] END
           FROM free
           WHERE w.organization_id = ANY ($1::text[]) AND w.organization_id = free.organization_id AND w.id = free.id
                 AND free.slots > 0
           RETURNING w.id
       ), chosen AS MATERIALIZED (
           SELECT free.organization_id, unnest(ARRAY(
               SELECT d.id FROM deliveries d
               WHERE d.organization_id = free.organization_id AND d.organization_id = ANY ($1::text[])
                     AND d.webhook_id = free.id AND d.status = $5 AND d.due <= $9::bigint AND d.id < $12
               ORDER BY d.due, d.id LIMIT greatest(free.slots, 0))) AS id
           FROM free
       ), leased AS (
           UPDATE deliveries AS dd SET due = $7::bigint, lease_until = $7::bigint, claimed_by = $6 FROM chosen
           WHERE dd.organization_id = ANY ($1::text[]) AND dd.organization_id = chosen.organization_id
                 AND dd.id = chosen.id AND dd.status = $5 AND dd.due <= $9::bigint AND dd.id < $12
           RETURNING dd.organization_id, dd.id, dd.webhook_id, dd.event_id, dd.attempts
       )
       SELECT organization_id, id AS webhook_id, slots, url, secrets, failing,
              NULL AS id, NULL AS event_id, NULL::int AS attempts, NULL::bytea AS body, NULL AS type, NULL AS trace, NULL AS actor
       FROM free
       UNION ALL
       (SELECT leased.organization_id, leased.webhook_id, NULL, NULL, NULL, NULL,
               leased.id, leased.event_id, leased.attempts, e.body, e.type, e.trace, e.actor
        FROM leased LEFT JOIN events e ON e.organization_id = leased.organization_id AND e.id = leased.event_id
                                          AND e.organization_id = ANY ($1::text[]) AND e.id < $13
        ORDER BY leased.id)""",
    across=ENGINE,
)

# What is given back is at once for others to take; first attempts stand where they stood, in the order of their making.
_RELEASED_COLUMNS = """due = CASE WHEN dd.status = 'pending' THEN least(dd.created * 1000, $4::bigint) ELSE $4::bigint END,
            lease_until = NULL, claimed_by = NULL"""

_RELEASE = sql(
    f"""UPDATE deliveries AS dd SET {_RELEASED_COLUMNS}
       FROM unnest($2::text[], $3::text[], $5::text[], $6::bigint[]) AS held (organization_id, id, claimed_by, lease_until)
       WHERE dd.organization_id = ANY ($1::text[]) AND dd.organization_id = held.organization_id AND dd.id = held.id
             AND dd.claimed_by = held.claimed_by AND dd.lease_until = held.lease_until AND dd.finished IS NULL""",
    across=ENGINE,
)

# First a worker is marked as ended: if it only hung, it notices when it wakes. Then what it held is freed, then it is forgotten.
# Each is a statement of its own and may run twice: a worker that hangs in between doesn't block the others.
_MARK_ENDED = sql(
    "UPDATE processes SET kind = 'ended' WHERE kind = 'worker' AND id <> $1 AND lease_until <= now()"
)
_ENDED = sql("SELECT id FROM processes WHERE kind = 'ended'")
_DELETE_ENDED = sql("DELETE FROM processes WHERE kind = 'ended' AND id = ANY ($1::text[])")
_WEBHOOKS_CLAIMED_BY = sql(
    "SELECT organization_id, id FROM webhooks WHERE claimed_by && $1::text[]", across=ENGINE
)
# Through the index of what is leased, webhook by webhook; without those that their worker knows of.
_RELEASE_HELD_BY = sql(
    f"""WITH released AS (
           UPDATE deliveries AS dd SET {_RELEASED_COLUMNS}
           FROM unnest($2::text[], $3::text[]) AS served (organization_id, webhook_id)
           WHERE dd.organization_id = ANY ($1::text[]) AND dd.organization_id = served.organization_id
                 AND dd.webhook_id = served.webhook_id AND dd.lease_until IS NOT NULL AND dd.finished IS NULL
                 AND dd.claimed_by = ANY ($5::text[]) AND dd.id <> ALL ($6::text[])
           RETURNING dd.id
       )
       SELECT count(*) FROM released""",
    across=ENGINE,
)


async def claim(
    db: Database,
    requests: Mapping[WebhookKey, tuple[int, int]],
    lane: Lane,
    own_claim: Claim,
    *,
    before: int,
    now: int,
) -> tuple[list[ClaimedDelivery], dict[WebhookKey, int]]:
    """What was taken, in the order of making; and how many places each webhook had, of those that were to be had.

    A request says how many to take at most, and how many this worker holds; `before` is when they must have been due.
    """
    asked = [(*key, *request) for key, request in requests.items()]
    given = (lane, own_claim.process, own_claim.lease_until, now, before, MAX_IN_FLIGHT, MAX_WHILE_FAILING)
    ends = (end_of_ids(now), end_of_ids(now, "evt"))
    rows = [
        row
        for group in await by_shard(db, asked)
        for row in await db.fetch(_CLAIM, *map(list, zip(*group, strict=True)), *given, *ends)
    ]
    webhooks: dict[WebhookKey, WebhookTarget] = {}
    slots: dict[WebhookKey, int] = {}
    deliveries: list[ClaimedDelivery] = []
    for tenant, webhook_id, slot_count, url, secrets, failing, *columns in rows:
        key = (tenant, webhook_id)
        if slot_count is not None:
            webhooks[key], slots[key] = WebhookTarget(key, url, secrets, failing), slot_count
        else:
            id, event_id, attempts, body, type, trace, actor = columns
            is_test = type == TEST_EVENT
            deliveries.append(
                ClaimedDelivery(webhooks[key], id, event_id, attempts, own_claim, body, is_test, trace, actor)
            )
    return deliveries, slots


async def release(db: Database, deliveries: Sequence[ClaimedDelivery], now: int) -> None:
    for group in await by_shard(db, deliveries, lambda delivery: delivery.webhook.key[0]):
        rows = [(one.webhook.key[0], one.id, one.claim.process, one.claim.lease_until) for one in group]
        tenants, ids, *claims = map(list, zip(*rows, strict=True))
        await db.execute(_RELEASE, tenants_of(rows), tenants, ids, now, *claims)


async def end_dead_workers(
    db: Database, own_process: str, now: int
) -> tuple[list[str], list[WebhookKey], int]:
    """Frees everything that workers without a lease hold; returns them, the webhooks they served, and how much it was."""
    await db.execute(_MARK_ENDED, own_process)
    ended = [row[0] for row in await db.fetch(_ENDED)]
    if not ended:
        return [], [], 0
    keys = [(row[0], row[1]) for row in await db.fetch(_WEBHOOKS_CLAIMED_BY, ended)]
    released = await release_held_by(db, keys, ended, [], now)
    await db.execute(_DELETE_ENDED, ended)
    return ended, keys, released


async def release_held_by(
    db: Database, keys: Sequence[WebhookKey], processes: Sequence[str], known: Sequence[str], now: int
) -> int:
    """Frees deliveries of these webhooks, all but the `known` ones; returns how many."""
    released = 0
    for group in await by_shard(db, keys):
        columns = map(list, zip(*group, strict=True))
        released += await db.fetchval(_RELEASE_HELD_BY, tenants_of(group), *columns, now, processes, known)
    return released
