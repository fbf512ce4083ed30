"""Looks for deadlines that have passed, and tells of each once."""

from steward.kit.db import Database
from steward.work_orders import sla_queries
from steward.work_orders.actions import note_breaches

_AT_ONCE = 200


async def tell_of_breaches(db: Database, now: int) -> int:
    """Safe with several workers: each order is looked at again under its lock."""
    told = 0
    while missed := await sla_queries.missed(db, now, _AT_ONCE):
        for tenant, order_id in missed:
            await note_breaches(db, tenant, order_id, now)
        told += len(missed)
        if len(missed) < _AT_ONCE:
            break
    return told
