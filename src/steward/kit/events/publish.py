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
    if not events:
        return
    if await tx.is_distributed():
        async with tx.transaction() as one:
            await outbox.store_apart(one, tenant, events, now)
    else:
        await tx.execute(_PUBLISH(), tenant, *outbox.parameters(events, now))
    tx.notify(tenant)


async def publish_of_many(tx: Database, events: Sequence[tuple[TenantId, Event]], now: int) -> None:
    """Events of several tenants, each with its own."""
    by_tenant: dict[TenantId, list[Event]] = {}
    for tenant, event in events:
        by_tenant.setdefault(tenant, []).append(event)
    if len(by_tenant) == 1 or await tx.is_distributed():
        for tenant, its_events in by_tenant.items():
            await publish(tx, tenant, its_events, now)
    elif by_tenant:
        await tx.execute(_PUBLISH_OF_MANY(), list(by_tenant), *outbox.parameters_of_many(events, now))
        for tenant in by_tenant:
            tx.notify(tenant)
