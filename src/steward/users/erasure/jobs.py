"""Erases late answers of receivers about users who were erased meanwhile."""

from functools import partial

from steward.kit.db.pool import Database
from steward.kit.jobs.drain import drain_by_tenant
from steward.users.erasure import queries
from steward.users.erasure.actions import forget_late_answers


async def erase_late_answers(db: Database, now: int, *, batch_size: int = 500) -> None:
    """Repeating it does no harm, so several workers need no coordination."""
    find = partial(queries.find_late, db, now, batch_size)
    await drain_by_tenant(db, find, forget_late_answers, batch_size=batch_size)
