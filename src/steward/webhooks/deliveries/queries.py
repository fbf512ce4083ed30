from steward.events import queries as events
from steward.events.model import RETENTION_DAYS
from steward.events.queries import exact_types
from steward.kit.db.listing import Filter, Listing
from steward.kit.db.partitions import DAY_SECONDS, daily_by_id, first_id, register_partitions
from steward.kit.db.query import Database, Row, query, sql
from steward.kit.db.table import Table
from steward.kit.events.event_types import WAS, WITHIN
from steward.kit.events.outbox import EventConsumer, EventScope, register_consumer
from steward.kit.events.visibility import may_read
from steward.kit.records import records
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import Permission
from steward.organizations.model import PLANS_WITHOUT_API
from steward.webhooks.deliveries.model import Attempt, Delivery, DeliveryDetails
from steward.webhooks.deliveries.rules import with_attempts

# A delivery is kept as long as its event.
_RETENTION_SECONDS = RETENTION_DAYS * DAY_SECONDS
register_partitions("deliveries", daily_by_id("id", "dlv", retention_seconds=_RETENTION_SECONDS))
register_partitions(
    "delivery_attempts", daily_by_id("delivery_id", "dlv", retention_seconds=_RETENTION_SECONDS)
)

# Stored in milliseconds; the next attempt is never announced a second too early.
_SHOWN = {
    "delivery_id": "id",
    "event_type": "(SELECT e.type FROM events e WHERE e.organization_id = $1 AND e.id = event_id)",
    "next_attempt_at": "(due + 999) / 1000",
    "finished_at": "finished / 1000",
}
DELIVERIES = Table("deliveries", Delivery, "delivery", parent="webhook_id", mirrors=_SHOWN)
LISTING = Listing(
    DELIVERIES,
    filters={
        "event_id": Filter("event_id = {}", unique=True),
        "status": "status = {}",
        # Identifiers sort by the time of the event, so these are ranges of them.
        "created_after": Filter("id >= {}", lambda _tenant, second: (first_id("dlv", second),)),
        "created_before": Filter("id < {}", lambda _tenant, second: (first_id("dlv", second),)),
        # It is stored with the event and joined to each delivery.
        "type": Filter(f"{_SHOWN['event_type']} = {{}}", expand=exact_types, indexed=False, cost=8),
    },
)

# One per event and webhook, always with the same identifier; sorts by the time of the event.
DELIVERY_ID = "'dlv_' || substr(new_events.id, 5, 22) || right(w.id, 14)"

# The attributes of an event's record, and their previous values where they changed.
_VERSIONS = f"""(VALUES (new_events.attributes), (new_events.attributes || (new_events.attributes -> '{WAS}')))
                   AS version (attributes)"""
# The record's location. For a location the event itself names its ancestors, since its row is only being
# written.
_PLACE = f"""CASE WHEN version.attributes ? '{WITHIN}' THEN version.attributes ->> '{WITHIN}'
                 ELSE version.attributes ->> 'locationId' END"""


def event_places(scope: EventScope) -> str:
    """Every location that new events are about, with all its ancestors: looked up once for all webhooks, and
    only if one of them includes descendants. One object for each organization, so that a lookup in it takes
    constant time.
    """
    return f"""WITH RECURSIVE above AS (
               SELECT DISTINCT {scope.organization}::text COLLATE "C" AS organization_id, {_PLACE} AS place,
                               ({_PLACE}) COLLATE "C" AS id
               FROM new_events CROSS JOIN LATERAL {_VERSIONS}
               WHERE {_PLACE} IS NOT NULL
                     AND EXISTS (SELECT 1 FROM webhooks d WHERE d.organization_id = {scope.organization}
                                                                AND d.organization_id {scope.among} AND d.filter_descends)
               UNION
               SELECT above.organization_id, above.place, l.parent_id
               FROM above JOIN locations l ON l.organization_id = above.organization_id AND l.id = above.id
               WHERE l.organization_id {scope.among} AND l.parent_id IS NOT NULL
           )
           SELECT chain.organization_id, jsonb_object_agg(chain.place, chain.ids) AS chains
           FROM (SELECT organization_id, place, jsonb_agg(id) AS ids FROM above GROUP BY organization_id, place) chain
           GROUP BY chain.organization_id"""


# A webhook gets an event of one of its types that its filter matches, by the record's present or previous
# values: so it gets the change by which a record leaves its filter. A filter matches when each of its
# criteria contains the attribute of that name; a record without the attribute matches nothing. Events about a
# webhook go to the others.
MATCHES = f"""w.id <> new_events.about AND (w.filter_mode IS NULL OR EXISTS (
               SELECT 1 FROM {_VERSIONS}
               WHERE version.attributes IS NOT NULL AND (w.filter_mode = 'include') = NOT EXISTS (
                   SELECT 1 FROM jsonb_each(w.filter_criteria) criterion
                   WHERE NOT coalesce(criterion.value ? (version.attributes ->> criterion.key), false)
                         AND NOT (w.filter_descends AND criterion.key = 'locationId' AND EXISTS (
                             SELECT 1 FROM event_places p, jsonb_array_elements_text(p.chains -> ({_PLACE})) AS above (id)
                             WHERE p.organization_id = w.organization_id AND criterion.value ? above.id)))))"""

# Why a webhook `w` of the organization `o` gets no deliveries; null if it does.
SKIP_REASON = f"""CASE WHEN w.status <> 'active' THEN 'webhook_' || w.status
                      WHEN o.plan IN ({PLANS_WITHOUT_API}) THEN 'plan' END"""


_QUEUED_COLUMNS = {
    "organization_id": "text",
    "id": "text",
    "webhook_id": "text",
    "event_id": "text",
    "status": "text",
    "reason": "text",
    "attempts": "integer",
    "due": "bigint",
    "created": "bigint",
    "finished": "bigint",
}


def _queued_deliveries(scope: EventScope) -> str:
    return f"""
        SELECT {scope.organization}::text, {DELIVERY_ID}, w.id, new_events.id,
               CASE WHEN w.skipped IS NULL THEN 'pending' ELSE 'skipped' END, w.skipped,
               0, CASE WHEN w.skipped IS NULL THEN {scope.milliseconds}::bigint END, {scope.seconds}::bigint,
               CASE WHEN w.skipped IS NULL THEN NULL ELSE {scope.milliseconds}::bigint END
        FROM new_events
        JOIN (SELECT w.organization_id, w.id, w.types, w.filter_mode, w.filter_criteria, w.filter_descends,
                     {SKIP_REASON} AS skipped
              FROM webhooks w JOIN organizations o ON o.id = w.organization_id
              WHERE w.organization_id {scope.among}) w
             ON w.organization_id = {scope.organization} AND new_events.type = ANY (w.types) AND {MATCHES}"""


_LISTENER = sql("SELECT w.id FROM webhooks w WHERE w.organization_id = $1 AND w.types && $2::text[] LIMIT 1")

register_consumer("event_places", EventConsumer(event_places))
register_consumer(
    "queued_deliveries", EventConsumer(_queued_deliveries, "deliveries", _QUEUED_COLUMNS, _LISTENER)
)

_ATTEMPTS = sql(
    """SELECT number, started / 1000, duration_ms, status_code, error, response FROM delivery_attempts
       WHERE organization_id = $1 AND delivery_id = $2 ORDER BY number DESC LIMIT 100"""
)


async def details(db: Database, who: Caller, delivery: Delivery) -> DeliveryDetails:
    """With the request, if the caller may read events."""
    rows = await db.fetch(_ATTEMPTS, who.tenant, delivery.id)
    shows_body = Permission.EVENTS_READ in who.permissions
    event = await events.find(db, who.tenant, delivery.event_id) if shows_body else None
    return with_attempts(delivery, [_attempt(row) for row in reversed(rows)], event)


async def read(db: Database, who: Caller, id: str, *, within: str) -> DeliveryDetails:
    delivery = await records.get(db, DELIVERIES, who.tenant, id, within=within)
    require_visible(who, delivery)
    return await details(db, who, delivery)


def require_visible(who: Caller, delivery: Delivery) -> None:
    """404 for the delivery of an event that the caller may not read."""
    if not may_read(delivery.event_type, who.permissions):
        raise DELIVERIES.missing()


# Every end state goes back to pending, and pending ones become due at once; deliveries in flight are left
# alone.
@query(
    """WITH retried AS (
           UPDATE deliveries AS dd
           SET status = CASE WHEN dd.attempts = 0 THEN 'pending' ELSE 'retrying' END,
               reason = 'manual_retry', due = $3, lease_until = NULL, finished = NULL
           WHERE dd.organization_id = $1 AND dd.id = $2 AND (dd.lease_until IS NULL OR dd.lease_until < $3)
           RETURNING dd.id
       )
       SELECT id FROM retried"""
)
async def retry(db: Database, tenant: TenantId, id: str, now_ms: int) -> bool:
    """False for a delivery that is in flight now."""


def _attempt(row: Row) -> Attempt:
    """The answer is the receiver's bytes: parts that aren't text are replaced."""
    *values, response = row
    values.append(None if response is None else response.decode("utf-8", "replace"))
    return Attempt(*values)
