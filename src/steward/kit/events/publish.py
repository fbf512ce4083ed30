"""Tells of what a slice has changed by statements of its own, in the transaction of the change."""

from collections.abc import Sequence

from steward.kit.db.pool import Database
from steward.kit.db.sql import lazy_sql
from steward.kit.events import outbox
from steward.kit.events.event_types import Event
from steward.kit.security.caller import TenantId

_PUBLISH = lazy_sql(lambda: f"WITH {outbox.outbox_ctes(2)} SELECT count(*) FROM stored_events")  # noqa: S608 (our own)

_PUBLISH_OF_MANY = lazy_sql(
    lambda: f"WITH {outbox.outbox_ctes_of_many(2)} SELECT count(*) FROM stored_events",  # noqa: S608 (our own)
    across="what happened to records of many tenants at once is told in one statement",
)


async def publish(tx: Database, tenant: TenantId, events: Sequence[Event], now: int) -> None:
    if events:
        await tx.execute(_PUBLISH(), tenant, *outbox.parameters(events, now))
        tx.notify(tenant)


async def publish_of_many(tx: Database, events: Sequence[tuple[TenantId, Event]], now: int) -> None:
    """Events of several tenants, each with its own."""
    tenants = list(dict.fromkeys(tenant for tenant, _ in events))
    if len(tenants) == 1:
        await publish(tx, tenants[0], [event for _, event in events], now)
    elif tenants:
        await tx.execute(_PUBLISH_OF_MANY(), tenants, *outbox.parameters_of_many(events, now))
        for tenant in tenants:
            tx.notify(tenant)
