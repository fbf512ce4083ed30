"""Looks for deadlines that have passed, and publishes each once."""

from functools import partial

from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound
from steward.kit.jobs.drain import drain
from steward.kit.records.context import Context
from steward.work_orders.actions import note_breaches
from steward.work_orders.sla import queries as sla_queries

_BATCH_SIZE = 200
# The next run, a few seconds later, finds the rest.
_MAX_BATCHES = 25


async def publish_breaches(db: Database, now: int) -> int:
    """Safe with several workers: each order is checked again under its lock."""
    return await drain(partial(_publish_batch, db, now), batch_size=_BATCH_SIZE, max_batches=_MAX_BATCHES)


async def _publish_batch(db: Database, now: int) -> int:
    missed = await sla_queries.missed(db, now, _BATCH_SIZE)
    for tenant, order_id in missed:
        try:
            await note_breaches(Context.of_tenant(db, tenant, now).on(order_id))
        except NotFound:
            continue  # deleted since it was found
    return len(missed)
