"""The list of processes that give signs of life, and its housekeeping."""

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql

# By the database's clock: nobody whose lease holds is forgotten because the clock of this machine was set.
_DELETE_GONE = sql("DELETE FROM processes WHERE lease_until < now() - interval '1 hour'")

# Those that hold a lease are there, whatever their clock says.
_SEEN_AFTER = "seen > $1 AND (kind = 'worker' OR lease_until < now())"
_ANY_SEEN_AFTER = sql(f"SELECT EXISTS (SELECT 1 FROM processes WHERE {_SEEN_AFTER})")  # noqa: S608 (our own)
_DELETE_SEEN_AFTER = sql(f"DELETE FROM processes WHERE {_SEEN_AFTER}")  # noqa: S608


async def forget_gone_processes(db: Database) -> None:
    await db.execute(_DELETE_GONE)


async def any_seen_after(db: Database, moment: int) -> bool:
    """Whether a process has given its last sign of life in the future."""
    return bool(await db.fetchval(_ANY_SEEN_AFTER, moment))


async def forget_seen_after(db: Database, moment: int) -> None:
    await db.execute(_DELETE_SEEN_AFTER, moment)
