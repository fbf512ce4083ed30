"""Stores a change with its events, or the events alone, and wakes the workers after the commit.

A plain server gets the change and its events as one statement, a distributed one as short statements in one transaction.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from steward.kit.db.pool import Database, Transaction
from steward.kit.db.sharding import one_or_several
from steward.kit.db.sql import Sql, Statements, lazy_sql
from steward.kit.events import outbox
from steward.kit.events.event_types import Event
from steward.kit.security.caller import TenantId

_PUBLISH = lazy_sql(lambda: f"WITH {outbox.outbox_ctes(2)} SELECT count(*) FROM stored_events")  # noqa: S608 (our own)

_PUBLISH_OF_MANY = lazy_sql(
    lambda: f"WITH {outbox.outbox_ctes_of_many(2)} SELECT count(*) FROM stored_events",  # noqa: S608 (our own)
    across="changes to records of many tenants at once are published in one statement",
)

# Callers choose which columns they change; so the number of these has a bound.
_WITH_EVENTS = Statements(most=256)


async def write_with_events(
    db: Database, tenant: TenantId, change: Sql, values: Iterable[Any], events: Sequence[Event], now: int
) -> None:
    """`change` takes the tenant as `$1` and then the values, and returns the `id` of what it wrote."""
    given = (tenant, *values)
    if not events:
        await db.execute(change, *given)
        return

    async def one() -> None:
        statement = statement_with_events(change, len(given) + 1)
        await db.execute(statement, *given, *outbox.parameters(events, now))
        db.notify(tenant)

    async def several(tx: Transaction) -> None:
        await tx.execute(change, *given)
        await publish(tx, tenant, events, now)

    await one_or_several(db, one, several)


def statement_with_events(change: Sql, first: int) -> Sql:
    """The parameters of the events begin with `$first`."""
    return _WITH_EVENTS.get(
        change,
        lambda: f"WITH change AS ({change}), {outbox.outbox_ctes(first)} SELECT id FROM change",  # noqa: S608 (our own)
    )


async def publish(tx: Database, tenant: TenantId, events: Sequence[Event], now: int) -> None:
    if not events:
        return
    await one_or_several(
        tx,
        lambda: tx.execute(_PUBLISH(), tenant, *outbox.parameters(events, now)),
        lambda within: outbox.store_apart(within, tenant, events, now),
    )
    tx.notify(tenant)


async def publish_of_many(tx: Database, events: Sequence[tuple[TenantId, Event]], now: int) -> None:
    """Events of several tenants, each with its own."""
    by_tenant: dict[TenantId, list[Event]] = {}
    for tenant, event in events:
        by_tenant.setdefault(tenant, []).append(event)

    async def one() -> None:
        await tx.execute(_PUBLISH_OF_MANY(), list(by_tenant), *outbox.parameters_of_many(events, now))
        for tenant in by_tenant:
            tx.notify(tenant)

    async def several(within: Database) -> None:
        for tenant, its_events in by_tenant.items():
            await publish(within, tenant, its_events, now)

    await (one_or_several(tx, one, several) if len(by_tenant) > 1 else several(tx))
