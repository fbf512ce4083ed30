"""Looks for deadlines that have passed, and tells of each once."""

from steward.kit.db import Database
from steward.kit.problems import NotFound
from steward.work_orders import sla_queries
from steward.work_orders.actions import note_breaches

_AT_ONCE = 200
# What is left after so many is found by the next look, a few seconds later.
_MOST_ROUNDS = 25


async def tell_of_breaches(db: Database, now: int) -> int:
    """Safe with several workers: each order is looked at again under its lock."""
    told = 0
    for _ in range(_MOST_ROUNDS):
        missed = await sla_queries.missed(db, now, _AT_ONCE)
        for tenant, order_id in missed:
            try:
                await note_breaches(db, tenant, order_id, now)
            except NotFound:
                continue  # deleted since it was found
        told += len(missed)
        if len(missed) < _AT_ONCE:
            break
    return told
