import msgspec

from steward.kit.db.listing import Listing
from steward.kit.db.query import Database, expiry, query, sql
from steward.kit.db.table import Table
from steward.kit.events.outbox import EventScope
from steward.kit.security.caller import TenantId
from steward.organizations.model import PLANS_WITHOUT_API
from steward.webhooks import queries
from steward.webhooks.deliveries.queries import DELIVERY_ID, MATCHES, event_places
from steward.webhooks.events import TEST
from steward.webhooks.model import WebhookStatus
from steward.webhooks.replays.model import Replay, ReplaySelection
from steward.webhooks.replays.rules import delivery_span, event_span, exact_types

REPLAYS = Table("webhook_replays", Replay, "replay", parent="webhook_id")
LISTING = Listing(REPLAYS)

_REASON = "'replayed'"
_AT = f"SELECT last_event_id, {', '.join(REPLAYS.fields)} FROM webhook_replays WHERE organization_id = $1"

_TAKE = sql(
    f"""{_AT} AND id = $2 AND status = 'running'
              AND EXISTS (SELECT 1 FROM organizations o WHERE o.id = $1 AND o.plan NOT IN ({PLANS_WITHOUT_API}))
        FOR UPDATE SKIP LOCKED"""
)
_NEWEST = sql(f"""{_AT} AND webhook_id = $2 ORDER BY id DESC LIMIT $3""")
# Scans so many rows, queues the wanted ones, and returns its position.
_QUEUE_AGAIN = sql(
    f"""WITH looked AS (
            SELECT d.id, d.event_id FROM deliveries d
            WHERE d.organization_id = $1 AND d.webhook_id = $2 AND d.status = $3 AND d.id > $4 AND d.id < $5
            ORDER BY d.id LIMIT $6 FOR UPDATE
        ), chosen AS (
            SELECT looked.id FROM looked JOIN events e ON e.organization_id = $1 AND e.id = looked.event_id
            WHERE e.created BETWEEN $7 AND $8 AND e.type <> '{TEST.name}'
              AND ($9::text[] IS NULL OR e.type = ANY ($9::text[]))
        ), queued AS (
            UPDATE deliveries AS dd
            SET status = CASE WHEN dd.attempts = 0 THEN 'pending' ELSE 'retrying' END,
                reason = {_REASON}, due = $10, lease_until = NULL, finished = NULL
            FROM chosen WHERE dd.organization_id = $1 AND dd.id = chosen.id
            RETURNING dd.id
        )
        SELECT (SELECT count(*) FROM looked), (SELECT max(event_id) FROM looked), (SELECT count(*) FROM queued)"""
)
# Test events belong to no type. An existing delivery keeps its identifier and attempts; a pending one is left
# alone.
_QUEUE_EVENTS = sql(
    f"""WITH looked AS (
            SELECT e.id, e.type, e.created, e.about, e.attributes FROM events e
            WHERE e.organization_id = $1 AND e.id > $3 AND e.id < $4
            ORDER BY e.id LIMIT $5
        ), new_events AS (
            SELECT * FROM looked WHERE looked.created BETWEEN $6 AND $7
        ), event_places AS (
            {event_places(EventScope("$10", "$9"))}
        ), queued AS (
            INSERT INTO deliveries AS dd
                (organization_id, id, webhook_id, event_id, status, reason, attempts, due, created)
            SELECT $1, {DELIVERY_ID}, w.id, new_events.id, 'pending', {_REASON}, 0, $9::bigint, $10
            FROM new_events JOIN webhooks w ON w.organization_id = $1 AND w.id = $2
                                     AND new_events.type = ANY (coalesce($8::text[], w.types)) AND {MATCHES}
            ON CONFLICT (organization_id, id) DO UPDATE
            SET status = CASE WHEN dd.attempts = 0 THEN 'pending' ELSE 'retrying' END,
                reason = excluded.reason, due = excluded.due, lease_until = NULL, finished = NULL
            WHERE dd.status NOT IN ('pending', 'retrying')
            RETURNING dd.id
        )
        SELECT (SELECT count(*) FROM looked), (SELECT max(id) FROM looked), (SELECT count(*) FROM queued)"""
)
_ADVANCE = sql(
    """UPDATE webhook_replays
       SET last_event_id = coalesce($3, last_event_id), queued = queued + $4, status = $5, updated = $6
       WHERE organization_id = $1 AND id = $2"""
)


class LockedReplay(msgspec.Struct, frozen=True):
    """A replay claimed by a worker, and its position."""

    replay: Replay
    last_event_id: str | None


class Step(msgspec.Struct, frozen=True):
    looked: int
    last_event_id: str | None
    queued: int


@query(
    "SELECT count(*) FROM webhook_replays WHERE organization_id = $1 AND webhook_id = $2 AND status = 'running'"
)
async def count_running(db: Database, tenant: TenantId, webhook_id: str) -> int: ...


@query(
    "SELECT organization_id, webhook_id, id FROM webhook_replays WHERE status = 'running' ORDER BY id",
    across="the worker looks for replays of every tenant, and then runs each by itself",
)
async def running(db: Database) -> list[tuple[TenantId, str, str]]:
    """(tenant, webhook, replay), oldest first."""


async def take(tx: Database, tenant: TenantId, webhook_id: str, replay_id: str) -> LockedReplay | None:
    """None while the webhook isn't active, the plan has no webhooks, or another worker holds the replay.

    The webhook is locked first, as everywhere, so that it isn't paused or deleted meanwhile.
    """
    if await queries.find_status(tx, tenant, webhook_id) != WebhookStatus.ACTIVE:
        return None
    row = await tx.fetchrow(_TAKE, tenant, replay_id)
    return None if row is None else LockedReplay(REPLAYS.load(tuple(row)[1:]), row[0])


async def newest(
    db: Database, tenant: TenantId, webhook_id: str, limit: int = 20
) -> list[tuple[Replay, str | None]]:
    """Each with the event at its position."""
    rows = await db.fetch(_NEWEST, tenant, webhook_id, limit)
    return [(REPLAYS.load(tuple(row)[1:]), row[0]) for row in rows]


@query(
    """SELECT count(*) FROM (SELECT 1 FROM deliveries
                             WHERE organization_id = $1 AND webhook_id = $2
                               AND status IN ('pending', 'retrying') AND due <= $3
                             LIMIT $4) waiting"""
)
async def count_waiting(db: Database, tenant: TenantId, webhook_id: str, before_ms: int, most: int) -> int:
    """How many deliveries are due by then, up to `most`."""


async def queue_some(db: Database, tenant: TenantId, locked: LockedReplay, most: int, now_ms: int) -> Step:
    replay = locked.replay
    wanted = (most, replay.since, replay.until, exact_types(replay), now_ms)
    if replay.selection == ReplaySelection.ALL:
        span = event_span(replay, locked.last_event_id)
        [row] = await db.fetch(_QUEUE_EVENTS, tenant, replay.webhook_id, *span, *wanted, now_ms // 1000)
    else:
        chosen = (replay.selection, *delivery_span(replay, locked.last_event_id))
        [row] = await db.fetch(_QUEUE_AGAIN, tenant, replay.webhook_id, *chosen, *wanted)
    return Step(*row)


async def advance(db: Database, tenant: TenantId, replay_id: str, step: Step, status: str, now: int) -> None:
    await db.execute(_ADVANCE, tenant, replay_id, step.last_event_id, step.queued, status, now)


delete_old = expiry("webhook_replays", "updated")
