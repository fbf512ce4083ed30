"""Erases visitors some time after their visit, and late answers of receivers about them."""

from functools import partial
from itertools import groupby
from operator import itemgetter

from steward.kit.db.pool import Database
from steward.kit.jobs.drain import drain, drain_by_tenant
from steward.visitors import queries
from steward.visitors.actions import erase_locked, forget_late_answers

_DAY_SECONDS = 86_400


async def erase_old_visitors(db: Database, now: int, retention_days: int, *, batch_size: int = 500) -> int:
    """Tenant by tenant, each batch in a transaction of its own; returns how many were erased.

    Safe with several workers: each checks again under the lock, and skips rows locked by others.
    """
    before = now - retention_days * _DAY_SECONDS
    erased = 0

    async def erase_batch() -> int:
        nonlocal erased
        due, batch = await queries.find_due(db, before, batch_size), 0
        for tenant, found in groupby(sorted(due), key=itemgetter(0)):
            async with db.transaction() as tx:
                ids = await queries.lock_due(tx, tenant, [id for _, id in found], before)
                await erase_locked(tx, tenant, ids, now)
            batch += len(ids)
        erased += batch
        # If nothing was erased, only rows locked by another worker are left.
        return len(due) if batch else 0

    await drain(erase_batch, batch_size=batch_size)
    return erased


async def erase_late_answers(db: Database, now: int, *, batch_size: int = 500) -> None:
    """Repeating it does no harm, so several workers need no coordination."""
    find = partial(queries.find_late, db, now, batch_size)
    await drain_by_tenant(db, find, forget_late_answers, batch_size=batch_size)
