"""Tells of what a slice has changed by statements of its own, in the transaction of the change."""

from collections.abc import Sequence

from steward.kit.db.pool import Database
from steward.kit.db.sql import lazy_sql
from steward.kit.events import outbox
from steward.kit.events.event_types import Event
from steward.kit.security.caller import TenantId

_PUBLISH = lazy_sql(lambda: f"WITH {outbox.outbox_ctes(2)} SELECT count(*) FROM stored_events")  # noqa: S608 (our own)


async def publish(tx: Database, tenant: TenantId, events: Sequence[Event], now: int) -> None:
    if events:
        await tx.execute(_PUBLISH(), tenant, *outbox.parameters(events, now))
        tx.notify(tenant)
