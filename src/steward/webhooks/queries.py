from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from steward.asset_types.queries import ASSET_TYPES
from steward.assets.queries import ASSETS
from steward.bookings.resources.queries import RESOURCES
from steward.kit.db.listing import Listing, json_columns
from steward.kit.db.query import Database, query, sql
from steward.kit.db.referrers import Referrer, register_referrer
from steward.kit.db.table import Table
from steward.kit.events.actor import acting
from steward.kit.events.event_types import Event
from steward.kit.events.outbox import trace_of
from steward.kit.records import records
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.locations.queries import LOCATIONS
from steward.webhooks.model import StoredWebhook, Webhook, WebhookStatus

WEBHOOKS = Table("webhooks", StoredWebhook, "webhook")
LISTING = Listing(
    "webhooks",
    json_columns(
        Webhook,
        filtering="""CASE WHEN filter_mode IS NOT NULL
                     THEN jsonb_build_object('mode', filter_mode, 'criteria', filter_criteria,
                                             'includeDescendants', filter_descends) END""",
    ),
)

# The tables that a filter's criteria refer to.
NAMED: dict[str, Table[Any]] = {
    "locationId": LOCATIONS,
    "assetId": ASSETS,
    "assetTypeId": ASSET_TYPES,
    "resourceId": RESOURCES,
}

_BATCH_SIZE = 10_000

_FILTERS_NAMING = sql(
    "SELECT webhook_id FROM webhook_filter_names WHERE organization_id = $1 AND id = $2 ORDER BY webhook_id"
)
for _table in NAMED.values():
    register_referrer(
        _table.name, Referrer("the filter of webhook", "the filters of webhooks", _FILTERS_NAMING)
    )
_FORGET_NAMES = sql("DELETE FROM webhook_filter_names WHERE organization_id = $1 AND webhook_id = $2")
_NOTE_NAMES = sql(
    """INSERT INTO webhook_filter_names AS named
           (organization_id, webhook_id, id, location_id, asset_id, asset_type_id, resource_id)
       SELECT $1, $2, n.id, CASE WHEN n.criterion = 'locationId' THEN n.id END, CASE WHEN n.criterion = 'assetId' THEN n.id END,
              CASE WHEN n.criterion = 'assetTypeId' THEN n.id END, CASE WHEN n.criterion = 'resourceId' THEN n.id END
       FROM unnest($3::text[], $4::text[]) AS n (criterion, id)"""
)

# Blocks changes by its owner and its deletion, but not workers.
_HOLD = sql("SELECT status FROM webhooks WHERE organization_id = $1 AND id = $2 FOR KEY SHARE")
_STORE_TEST = sql(
    """WITH stored AS (
           INSERT INTO events AS ev (organization_id, id, type, created, about, attributes, body, trace, actor, position)
           VALUES ($1, $2, $3, $4, $5, '{}', $6, $9, $10, event_position())
           RETURNING ev.id
       ), queued AS (
           INSERT INTO deliveries AS dd (organization_id, id, webhook_id, event_id, status, reason, attempts, due, created)
           VALUES ($1, $7, $5, $2, 'pending', 'test', 0, $8, $4)
           RETURNING dd.id
       )
       SELECT stored.id FROM stored, queued"""
)


async def unknown_names(
    db: Database, tenant: TenantId, criteria: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, int, str]]:
    """The missing identifiers of a filter: criterion, position in its list, and the kind of record."""
    known = {
        name: await records.known(db, table, tenant, criteria[name])
        for name, table in NAMED.items()
        if name in criteria
    }
    return (
        (name, place, NAMED[name].noun)
        for name, found in known.items()
        for place, id in enumerate(criteria[name])
        if id not in found
    )


async def note_names(
    tx: Database, tenant: TenantId, webhook_id: str, criteria: Mapping[str, Sequence[str]]
) -> None:
    """Protects exactly the records that a webhook's filter names from deletion."""
    await tx.execute(_FORGET_NAMES, tenant, webhook_id)
    names = [(name, id) for name in NAMED for id in dict.fromkeys(criteria.get(name, ()))]
    if names:
        await tx.execute(_NOTE_NAMES, tenant, webhook_id, *map(list, zip(*names, strict=True)))


async def find_status(tx: Database, tenant: TenantId, webhook_id: str) -> WebhookStatus | None:
    """Locked until the transaction ends; None if there is no such webhook."""
    found = await tx.fetchval(_HOLD, tenant, webhook_id)
    return None if found is None else WebhookStatus(found)


async def lock_status(tx: Database, tenant: TenantId, webhook_id: str) -> WebhookStatus:
    status = await find_status(tx, tenant, webhook_id)
    if status is None:
        raise WEBHOOKS.missing()
    return status


@query("SELECT count(*) FROM webhooks WHERE organization_id = $1")
async def count(db: Database, tenant: TenantId) -> int: ...


@query(
    f"""WITH waiting AS (
           SELECT d.id FROM deliveries d
           WHERE d.organization_id = $1 AND d.webhook_id = $2 AND d.status IN ('pending', 'retrying')
             AND coalesce(d.lease_until, 0) <= $5
           LIMIT {_BATCH_SIZE} FOR UPDATE SKIP LOCKED
       ), ended AS (
           UPDATE deliveries AS dd
           SET status = $3, reason = $4, due = NULL, lease_until = NULL, finished = $5
           FROM waiting WHERE dd.organization_id = $1 AND dd.id = waiting.id
           RETURNING dd.id
       )
       SELECT count(*) FROM ended"""
)
async def end_waiting(
    db: Database, tenant: TenantId, webhook_id: str, *, status: str, reason: str, now_ms: int
) -> None:
    """Cancels the pending deliveries to this webhook, up to as many as a request may take.

    The worker cancels the rest, including those in flight.
    """


async def store_test(
    db: Database, tenant: TenantId, webhook_id: str, event: Event, delivery_id: str, now_ms: int
) -> None:
    """The event and its one delivery, whatever the subscription."""
    made = (event.id, event.type, event.created, webhook_id, event.body)
    await db.execute(_STORE_TEST, tenant, *made, delivery_id, now_ms, trace_of([event]), acting())


@query(
    """SELECT organization_id, id FROM webhooks
       WHERE $1 = ANY (events) AND NOT types @> $2::text[] AND updated_at >= $4
             AND (maker_permissions IS NULL OR $3 = ANY (maker_permissions))""",
    across="a new version may know types that are new to every tenant's groups",
    seconds=30,
)
async def missing_types(
    db: Database, pattern: str, types: Collection[str], permission: Permission, since_ms: int
) -> list[tuple[TenantId, str]]:
    """Webhooks of any tenant, written since then, that named this pattern when it matched fewer types, and
    whose makers may read these.
    """


@query(
    """UPDATE webhooks SET types = ARRAY(SELECT unnest(types) UNION SELECT unnest($3::text[]) ORDER BY 1)
       WHERE organization_id = $1 AND id = $2"""
)
async def add_types(db: Database, tenant: TenantId, webhook_id: str, types: Collection[str]) -> None: ...
