"""Erases late answers of receivers about users who were erased meanwhile."""

from itertools import groupby
from operator import itemgetter

from steward.kit.db.pool import Database
from steward.kit.jobs.drain import drain
from steward.users.erasure import queries
from steward.users.erasure.actions import forget_late_answers


async def erase_late_answers(db: Database, now: int, *, batch_size: int = 500) -> None:
    """Repeating it does no harm, so several workers need no coordination."""

    async def forget_batch() -> int:
        late = await queries.find_late(db, now, batch_size)
        for tenant, found in groupby(sorted(late), key=itemgetter(0)):
            async with db.transaction() as tx:
                await forget_late_answers(tx, tenant, [id for _, id in found])
        return len(late)

    await drain(forget_batch, batch_size=batch_size)
