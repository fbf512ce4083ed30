"""Fails expired commands, and deletes old ones."""

from functools import partial

from steward.assets.commands import queries
from steward.kit.db.pool import Database
from steward.kit.jobs.drain import drain

_BATCH_SIZE = 1000


async def expire_commands(db: Database, now: int) -> None:
    await drain(partial(queries.expire, db, now), batch_size=_BATCH_SIZE)


async def delete_old_commands(db: Database, now: int) -> None:
    await drain(partial(queries.delete_old, db, now), batch_size=_BATCH_SIZE)
