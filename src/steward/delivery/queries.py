"""The statements of the engine. Each takes a list of tenants, so that a sharded database can be asked shard by shard."""

from collections.abc import Iterable, Mapping, Sequence

from steward.delivery.model import (
    MOST_IN_FLIGHT,
    MOST_WHILE_FAILING,
    TEST_EVENT,
    Delivery,
    Lane,
    Outcome,
    Webhook,
    WebhookKey,
)
from steward.kit import clock
from steward.kit.db import Database, Transaction
from steward.kit.partitions import DAY_SECONDS, first_id
from steward.kit.sql import Row, sql

_ENGINE = "the worker serves all tenants, in turn"

TENANTS = sql("SELECT DISTINCT organization_id FROM webhooks", across=_ENGINE)

# The earliest of each lane costs one look into an index, however much waits behind it.
LOOK = sql(
    """SELECT w.organization_id, w.id, w.status, first.due AS pending, late.due AS retrying
       FROM webhooks w
       LEFT JOIN LATERAL (SELECT d.due FROM deliveries d
                          WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id
                                AND d.status = 'pending' AND d.due IS NOT NULL AND d.id < $2
                          ORDER BY d.due LIMIT 1) first ON true
       LEFT JOIN LATERAL (SELECT d.due FROM deliveries d
                          WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id
                                AND d.status = 'retrying' AND d.due IS NOT NULL AND d.id < $2
                          ORDER BY d.due LIMIT 1) late ON true
       WHERE w.organization_id = ANY ($1::text[]) AND (first.due IS NOT NULL OR late.due IS NOT NULL)""",
    across=_ENGINE,
)

# One statement, and yet no two workers ever count the same places as free. What a statement sees was settled when it began,
# so that a claim which committed since then is not in its count. Therefore every claim leaves a mark on the webhook: `seen` is
# the row as it was when the statement began, `held` is the same row under lock, as it is now; where the marks differ, somebody
# was faster, and the webhook is left for the next time.
_CLAIM = sql(
    """WITH asked AS MATERIALIZED (
           SELECT * FROM unnest($1::text[], $2::text[], $3::int[]) AS asked (organization_id, id, wanted)
       ), seen AS MATERIALIZED (
           SELECT w.organization_id, w.id, w.claims FROM asked
           JOIN webhooks w ON w.organization_id = asked.organization_id AND w.id = asked.id
           WHERE w.organization_id = ANY ($1::text[])
       ), held AS MATERIALIZED (
           SELECT w.organization_id, w.id, w.url, w.secrets, w.failing_since IS NOT NULL AS failing, w.claims, asked.wanted
           FROM asked JOIN webhooks w ON w.organization_id = asked.organization_id AND w.id = asked.id
           WHERE w.organization_id = ANY ($1::text[]) AND w.status = 'active'
           FOR NO KEY UPDATE OF w SKIP LOCKED
       ), free AS MATERIALIZED (
           SELECT held.organization_id, held.id, held.url, held.secrets, held.failing,
                  least(held.wanted, CASE WHEN held.failing THEN $8::int ELSE $7::int END - (
                      SELECT count(*) FROM deliveries l
                      WHERE l.organization_id = held.organization_id AND l.organization_id = ANY ($1::text[])
                            AND l.webhook_id = held.id AND l.lease_until > $5::bigint AND l.id < $10)) AS places
           FROM held JOIN seen ON seen.organization_id = held.organization_id AND seen.id = held.id
           WHERE seen.claims = held.claims
       ), marked AS (
           UPDATE webhooks AS w SET claims = w.claims + 1 FROM free
           WHERE w.organization_id = ANY ($1::text[]) AND w.organization_id = free.organization_id AND w.id = free.id
                 AND free.places > 0
           RETURNING w.id
       ), chosen AS MATERIALIZED (
           SELECT next.organization_id, next.id FROM free CROSS JOIN LATERAL (
               SELECT d.organization_id, d.id FROM deliveries d
               WHERE d.organization_id = free.organization_id AND d.organization_id = ANY ($1::text[])
                     AND d.webhook_id = free.id AND d.status = $4 AND d.due <= $9::bigint AND d.id < $10
               ORDER BY d.due, d.id LIMIT greatest(free.places, 0)) next
       ), leased AS (
           UPDATE deliveries AS dd SET due = $6::bigint, lease_until = $6::bigint FROM chosen
           WHERE dd.organization_id = ANY ($1::text[]) AND dd.organization_id = chosen.organization_id
                 AND dd.id = chosen.id AND dd.status = $4 AND dd.due <= $9::bigint AND dd.id < $10
           RETURNING dd.organization_id, dd.id, dd.webhook_id, dd.event_id, dd.attempts
       )
       SELECT organization_id, id AS webhook_id, places, url, secrets, failing,
              NULL AS id, NULL AS event_id, NULL::int AS attempts, NULL::bytea AS body, NULL AS type
       FROM free
       UNION ALL
       (SELECT leased.organization_id, leased.webhook_id, NULL, NULL, NULL, NULL,
               leased.id, leased.event_id, leased.attempts, e.body, e.type
        FROM leased LEFT JOIN events e ON e.organization_id = leased.organization_id AND e.id = leased.event_id
                                          AND e.organization_id = ANY ($1::text[])
        ORDER BY leased.id)""",
    across=_ENGINE,
)

# A success ends a delivery even when its lease was lost: somebody else's attempt can add nothing to it.
_SETTLED = """settled AS (
           UPDATE deliveries AS dd
           SET status = came.status, reason = came.reason, attempts = greatest(dd.attempts, came.attempts),
               due = came.due, lease_until = NULL, finished = came.finished
           FROM came
           WHERE dd.organization_id = ANY ($1::text[]) AND dd.organization_id = came.organization_id
                 AND dd.id = came.id AND dd.finished IS NULL
                 AND (dd.lease_until = came.lease_until OR came.status = 'succeeded')
           RETURNING dd.id
       )"""

_ATTEMPTED = """attempted AS (
           INSERT INTO delivery_attempts AS a (organization_id, delivery_id, number, started, duration_ms, status_code,
                                               error, response)
           SELECT came.organization_id, came.id, came.attempts, came.started, came.duration, came.status_code, came.error,
                  came.response
           FROM came WHERE came.started IS NOT NULL
           ON CONFLICT (organization_id, delivery_id, number) DO NOTHING
           RETURNING a.number
       )"""

# `$1` names each tenant once: with one entry per row the planner takes the list for most of the table, and reads it all.
SETTLE = sql(
    f"""WITH came AS MATERIALIZED (
           SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::int[], $8::bigint[],
                                $9::bigint[], $10::bigint[], $11::int[], $12::int[], $13::text[], $14::bytea[])
               AS came (organization_id, id, lease_until, status, reason, attempts, due, finished, started, duration,
                        status_code, error, response)
       ), {_SETTLED}, {_ATTEMPTED}
       SELECT count(*) FROM settled""",
    across=_ENGINE,
)

# Locked in one order, since two workers may have news of the same webhooks. A webhook that is well is written to rarely:
# the time of its last success is right to within ten seconds.
NOTE_HEALTH = sql(
    """WITH news AS MATERIALIZED (
           SELECT * FROM unnest($1::text[], $2::text[], $3::boolean[], $4::int[], $5::boolean[])
               AS news (organization_id, id, succeeded, failed, gone)
       ), held AS MATERIALIZED (
           SELECT w.organization_id, w.id, news.succeeded, news.gone,
                  CASE WHEN news.succeeded THEN NULL ELSE coalesce(w.failing_since, $6::bigint) END AS failing_since,
                  CASE WHEN news.succeeded THEN 0 ELSE w.failed_attempts + news.failed END AS failed_attempts
           FROM webhooks w JOIN news ON news.organization_id = w.organization_id AND news.id = w.id
           WHERE w.organization_id = ANY ($1::text[])
                 AND (NOT news.succeeded OR news.gone OR w.failing_since IS NOT NULL
                      OR coalesce(w.last_success_at, 0) < $6::bigint - 10000)
           ORDER BY w.organization_id, w.id
           FOR NO KEY UPDATE OF w
       ), judged AS MATERIALIZED (
           SELECT held.*, CASE WHEN gone THEN 'receiver_gone'
                               WHEN failing_since <= $6::bigint - $7::bigint AND failed_attempts >= $8::int
                               THEN 'no_success' END AS verdict
           FROM held
       ), written AS (
           UPDATE webhooks AS w
           SET failing_since = j.failing_since, failed_attempts = j.failed_attempts,
               last_success_at = CASE WHEN j.succeeded THEN $6::bigint ELSE w.last_success_at END,
               status = CASE WHEN j.verdict IS NULL OR w.status <> 'active' THEN w.status ELSE 'disabled' END,
               disabled_reason = CASE WHEN j.verdict IS NULL OR w.status <> 'active' THEN w.disabled_reason
                                      ELSE j.verdict END,
               updated_at = CASE WHEN j.verdict IS NULL OR w.status <> 'active' THEN w.updated_at ELSE $6::bigint END
           FROM judged j
           WHERE w.organization_id = ANY ($1::text[]) AND w.organization_id = j.organization_id AND w.id = j.id
           RETURNING w.organization_id, w.id, w.status, j.verdict
       )
       SELECT organization_id, id, verdict FROM written WHERE status = 'disabled' AND verdict IS NOT NULL""",
    across=_ENGINE,
)

# What a worker that stops has not finished is at once for others to take.
RELEASE = sql(
    """UPDATE deliveries AS dd SET due = $4, lease_until = NULL
       FROM unnest($1::text[], $2::text[], $3::bigint[]) AS held (organization_id, id, lease_until)
       WHERE dd.organization_id = ANY ($1::text[]) AND dd.organization_id = held.organization_id AND dd.id = held.id
             AND dd.lease_until = held.lease_until AND dd.finished IS NULL""",
    across=_ENGINE,
)

# Deliveries of a webhook that takes none any more come to an end, a batch at a time; those under way are left to settle.
END_WAITING = sql(
    """WITH standing AS MATERIALIZED (
           SELECT coalesce((SELECT w.status FROM webhooks w WHERE w.organization_id = $1 AND w.id = $2), 'deleted') AS status
       ), waiting AS MATERIALIZED (
           SELECT d.id FROM deliveries d
           WHERE d.organization_id = $1 AND d.webhook_id = $2 AND d.status IN ('pending', 'retrying')
                 AND d.due IS NOT NULL AND coalesce(d.lease_until, 0) <= $3::bigint
                 AND (SELECT status FROM standing) <> 'active'
           LIMIT $4
           FOR UPDATE SKIP LOCKED
       ), ended AS (
           UPDATE deliveries AS dd
           SET status = CASE WHEN standing.status = 'deleted' THEN 'cancelled' ELSE 'skipped' END,
               reason = 'webhook_' || standing.status, due = NULL, lease_until = NULL, finished = $3::bigint
           FROM waiting, standing
           WHERE dd.organization_id = $1 AND dd.id = waiting.id
           RETURNING dd.status
       )
       SELECT status, count(*) FROM ended GROUP BY status""",
)


async def look(db: Database, tenants: Iterable[str] | None) -> list[Row]:
    """The webhooks of these tenants, or of all, that have deliveries waiting, and when the first falls due."""
    wanted = [row[0] for row in await db.fetch(TENANTS)] if tenants is None else list(tenants)
    return await db.fetch(LOOK, wanted, _end(clock.now_ms())) if wanted else []


def _end(now_ms: int) -> str:
    """Behind every delivery that exists; the partitions of days to come are then left out."""
    return first_id("dlv", now_ms // 1000 + DAY_SECONDS)


async def claim(
    db: Database, wanted: Mapping[WebhookKey, int], lane: Lane, *, before: int, now: int, lease_until: int
) -> tuple[list[Delivery], dict[WebhookKey, int]]:
    """What was taken, in the order of making; and how many places each webhook had, of those that were to be had."""
    rows = await db.fetch(
        _CLAIM,
        [key[0] for key in wanted],
        [key[1] for key in wanted],
        list(wanted.values()),
        lane,
        now,
        lease_until,
        MOST_IN_FLIGHT,
        MOST_WHILE_FAILING,
        before,
        _end(now),
    )
    webhooks: dict[WebhookKey, Webhook] = {}
    places: dict[WebhookKey, int] = {}
    taken: list[Delivery] = []
    for tenant, webhook_id, free, url, secrets, failing, *found in rows:
        key = (tenant, webhook_id)
        if free is not None:
            webhooks[key], places[key] = Webhook(key, url, secrets, failing), free
        else:
            id, event_id, attempts, body, type = found
            taken.append(
                Delivery(webhooks[key], id, event_id, attempts, lease_until, body, type == TEST_EVENT)
            )
    return taken, places


def settled_columns(outcomes: Sequence[Outcome]) -> tuple[list[object], ...]:
    """The columns of SETTLE, in its order."""
    rows = [_settled_row(outcome) for outcome in outcomes]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return (list(dict.fromkeys(columns[0])), *columns)


def _settled_row(outcome: Outcome) -> tuple[object, ...]:
    delivery, answer = outcome.delivery, outcome.answer
    state = (outcome.status, outcome.reason, delivery.attempts + (answer is not None))
    made = (
        (answer.started, answer.duration, answer.status_code, answer.error, answer.response)
        if answer is not None
        else (None,) * 5
    )
    held = (delivery.webhook.key[0], delivery.id, delivery.lease_until)
    return (*held, *state, outcome.due, outcome.finished, *made)


async def note_health(
    tx: Transaction,
    news: Mapping[WebhookKey, tuple[bool, int, bool]],
    now: int,
    patience_ms: int,
    most_failures: int,
) -> dict[WebhookKey, str]:
    """Keeps each webhook's clock; returns those that were disabled by it, with the reason."""
    columns = list(zip(*((*key, *what) for key, what in news.items()), strict=True))
    rows = await tx.fetch(NOTE_HEALTH, *map(list, columns), now, patience_ms, most_failures)
    return {(row[0], row[1]): row[2] for row in rows}


async def release(db: Database, deliveries: Sequence[Delivery], now: int) -> None:
    await db.execute(
        RELEASE,
        [delivery.webhook.key[0] for delivery in deliveries],
        [delivery.id for delivery in deliveries],
        [delivery.lease_until for delivery in deliveries],
        now,
    )
