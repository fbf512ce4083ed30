"""Writes down how attempts went, and what that says of the webhooks."""

from collections.abc import Mapping, Sequence

from steward.kit.db.query import Database, Row, Transaction, sql
from steward.kit.db.sharding import by_shard, one_or_several
from steward.kit.security.caller import TenantId
from steward.webhook_delivery.model import DISABLE_AFTER_FAILURES, DISABLE_AFTER_MS, Outcome, WebhookKey
from steward.webhook_delivery.queries import ENGINE

# Only who holds a delivery says what becomes of it: a worker that hung, and was taken for dead, has nothing to say of what others
# have taken over. A success ends a delivery nevertheless: somebody else's attempt can add nothing to it.
# `$1` names each tenant once: with one entry per row the planner takes the list for most of the table, and reads it all. `$16`
# and `$17` are the first and the last delivery: so it need not look at the partitions of other days, which takes longer than
# the rest. What was attempted is noted of those that were settled only.
_SETTLE_CTES = """outcome AS MATERIALIZED (
           SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::int[],
                                $9::bigint[], $10::bigint[], $11::bigint[], $12::int[], $13::int[], $14::text[], $15::bytea[])
               AS outcome (organization_id, id, claimed_by, lease_until, status, reason, attempts, due, finished,
                           started, duration, status_code, error, response)
       ), settled AS (
           UPDATE deliveries AS dd
           SET status = outcome.status, reason = outcome.reason, attempts = greatest(dd.attempts, outcome.attempts),
               due = outcome.due, lease_until = NULL, claimed_by = NULL, finished = outcome.finished
           FROM outcome
           WHERE dd.organization_id = ANY ($1::text[]) AND dd.organization_id = outcome.organization_id
                 AND dd.id = outcome.id AND dd.id >= $16 AND dd.id <= $17 AND dd.finished IS NULL
                 AND (dd.claimed_by = outcome.claimed_by AND dd.lease_until = outcome.lease_until OR outcome.status = 'succeeded')
                 AND {condition}
           RETURNING dd.organization_id, dd.id
       ), attempted AS (
           INSERT INTO delivery_attempts AS a (organization_id, delivery_id, number, started, duration_ms, status_code,
                                               error, response)
           SELECT outcome.organization_id, outcome.id, outcome.attempts, outcome.started, outcome.duration,
                  outcome.status_code, outcome.error, outcome.response
           FROM outcome JOIN settled ON settled.organization_id = outcome.organization_id AND settled.id = outcome.id
           WHERE outcome.started IS NOT NULL
           ON CONFLICT (organization_id, delivery_id, number) DO NOTHING
           RETURNING a.number
       )"""

_SETTLE = sql(f"WITH {_SETTLE_CTES.format(condition='true')} SELECT count(*) FROM settled", across=ENGINE)


# Webhooks are locked in one order, since two workers may have news of the same, and before deliveries, as claims do: so nobody
# waits for one who waits for them. A webhook that is well is written to rarely: the time of its last success is right to
# within ten seconds.
# On a plain server it is one statement with the outcomes: a worker that hangs in the middle of a transaction would keep the webhooks
# from all others.
def _health_ctes(first: int) -> str:
    """With what is known of webhooks in the parameters from `$first` on; `$1` are their tenants."""
    tenants, ids, succeeded, failed, gone, now, after_ms, after_failures = (
        f"${first + number}" for number in range(8)
    )
    return f"""health AS MATERIALIZED (
           SELECT * FROM unnest({tenants}::text[], {ids}::text[], {succeeded}::boolean[], {failed}::int[], {gone}::boolean[])
               AS health (organization_id, id, succeeded, failed, gone)
       ), held AS MATERIALIZED (
           SELECT w.organization_id, w.id, health.succeeded, health.gone,
                  CASE WHEN health.succeeded THEN NULL ELSE coalesce(w.failing_since, {now}::bigint) END AS failing_since,
                  CASE WHEN health.succeeded THEN 0 ELSE w.failed_attempts + health.failed END AS failed_attempts
           FROM webhooks w JOIN health ON health.organization_id = w.organization_id AND health.id = w.id
           WHERE w.organization_id = ANY ($1::text[])
                 AND (NOT health.succeeded OR health.gone OR w.failing_since IS NOT NULL
                      OR coalesce(w.last_success_at, 0) < {now}::bigint - 10000)
           ORDER BY w.organization_id, w.id
           FOR NO KEY UPDATE OF w
       ), judged AS MATERIALIZED (
           SELECT held.*, CASE WHEN gone THEN 'receiver_gone'
                               WHEN failing_since <= {now}::bigint - {after_ms}::bigint
                                    AND failed_attempts >= {after_failures}::int
                               THEN 'no_success' END AS verdict
           FROM held
       ), written AS (
           UPDATE webhooks AS w
           SET failing_since = j.failing_since, failed_attempts = j.failed_attempts,
               last_success_at = CASE WHEN j.succeeded THEN {now}::bigint ELSE w.last_success_at END
           FROM judged j
           WHERE w.organization_id = ANY ($1::text[]) AND w.organization_id = j.organization_id AND w.id = j.id
           RETURNING w.organization_id, w.id, w.status, j.verdict
       )"""


_VERDICTS = "SELECT organization_id, id, verdict FROM written WHERE status = 'active' AND verdict IS NOT NULL"
_SETTLE_WITH_HEALTH = sql(
    f"""WITH {_health_ctes(18)}, {_SETTLE_CTES.format(condition="(SELECT count(*) FROM held) >= 0")}
       {_VERDICTS}""",
    across=ENGINE,
)
# By itself for a database that is spread over several servers, which can't put both together: there the deadline of idle
# transactions lets the webhooks go.
_NOTE_HEALTH = sql(f"WITH {_health_ctes(2)} {_VERDICTS}", across=ENGINE)


async def settle(
    db: Database, outcomes: Sequence[Outcome], health: Mapping[WebhookKey, tuple[bool, int, bool]], now: int
) -> dict[tuple[TenantId, str], str]:
    """Also keeps the clocks of the webhooks in `health`; returns those that are to be disabled, with the reason."""
    verdicts: dict[tuple[TenantId, str], str] = {}
    for group in await by_shard(db, outcomes, _tenant):
        tenants = set(map(_tenant, group))
        changed = [(*key, *changes) for key, changes in health.items() if key[0] in tenants]
        if not changed:
            await db.execute(_SETTLE, *_settled_columns(group))
            continue
        known = (*map(list, zip(*changed, strict=True)), now, DISABLE_AFTER_MS, DISABLE_AFTER_FAILURES)
        rows = await _settle_group(db, _settled_columns(group), known)
        verdicts |= {(row[0], row[1]): row[2] for row in rows}
    return verdicts


async def _settle_group(db: Database, settled: tuple[object, ...], known: tuple[object, ...]) -> list[Row]:
    async def several(tx: Transaction) -> list[Row]:
        rows = await tx.fetch(_NOTE_HEALTH, settled[0], *known)
        await tx.execute(_SETTLE, *settled)
        return rows

    return await one_or_several(db, lambda: db.fetch(_SETTLE_WITH_HEALTH, *settled, *known), several)


def _tenant(outcome: Outcome) -> str:
    return outcome.delivery.webhook.key[0]


def _settled_columns(outcomes: Sequence[Outcome]) -> tuple[object, ...]:
    """The first parameters of both, in their order."""
    rows = [_settled_row(outcome) for outcome in outcomes]
    columns = [list(column) for column in zip(*rows, strict=True)]
    ids = [outcome.delivery.id for outcome in outcomes]
    return (list(dict.fromkeys(columns[0])), *columns, min(ids), max(ids))


def _settled_row(outcome: Outcome) -> tuple[object, ...]:
    delivery, result = outcome.delivery, outcome.result
    state = (outcome.status, outcome.reason, delivery.attempts + (result is not None))
    attempt = (
        (result.started, result.duration, result.status_code, result.error, result.response)
        if result is not None
        else (None,) * 5
    )
    claim = (delivery.webhook.key[0], delivery.id, delivery.claim.process, delivery.claim.lease_until)
    return (*claim, *state, outcome.due, outcome.finished, *attempt)
