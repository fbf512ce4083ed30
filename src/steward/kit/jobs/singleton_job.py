"""What is done by one worker at a time, however many there are, and at its interval over all of them."""

from collections.abc import Awaitable, Callable

from steward.kit.db.advisory_locks import SINGLETON_JOBS
from steward.kit.db.pool import Database
from steward.kit.db.session_settings import IDLE_IN_TRANSACTION_SECONDS
from steward.kit.db.sql import sql

_SELECT_DUE = sql("SELECT due FROM duties WHERE name = $1")
_INSERT = sql("INSERT INTO duties (name, due) VALUES ($1, 0) ON CONFLICT DO NOTHING")
_TRY_LOCK = sql("SELECT pg_try_advisory_xact_lock($1::integer, hashtext($2))")
# As long as the longest work takes; a worker whose way to the server is cut keeps the others from it no longer. It also ends
# the statement before, whose snapshot would otherwise be kept as long.
_SET_IDLE_TIMEOUT = sql("SET LOCAL idle_in_transaction_session_timeout = '15min'")
# From the next statement on the transaction has a number, and the change feed waits for its end.
_SET_SHORT_IDLE_TIMEOUT = sql(
    f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_IN_TRANSACTION_SECONDS}s'"
)
_SET_NEXT_DUE = sql("UPDATE duties SET due = $2 WHERE name = $1")


async def run_as_singleton(
    db: Database,
    name: str,
    every_seconds: int,
    now: int,
    work: Callable[[], Awaitable[object]],
    *,
    patience: int = 0,
) -> bool:
    """Does the work if it is due and nobody else is at it; says whether it did. With patience it leaves the round to
    another for so many seconds more.

    The lock ends with its transaction, so that another worker repeats the round of one that died or failed.
    The work needs connections besides the one that holds the lock. A lock on the row would do as well, were it not for the
    transaction number that it takes: while that is open, no table can be rid of old versions of its rows, and readings
    find no room beside them.
    """
    due_by = now - patience
    if not await _is_due(db, name, every_seconds, now, due_by):
        return False
    async with db.transaction() as tx:
        # Another may have done this round between the two looks.
        if not await tx.fetchval(_TRY_LOCK, SINGLETON_JOBS, name) or not await _is_due(
            tx, name, every_seconds, now, due_by
        ):
            return False
        await tx.execute(_SET_IDLE_TIMEOUT)
        await work()
        await tx.execute(_SET_SHORT_IDLE_TIMEOUT)
        await tx.execute(_SET_NEXT_DUE, name, now + every_seconds)
    return True


async def _is_due(db: Database, name: str, every_seconds: int, now: int, due_by: int) -> bool:
    """Also when the next round is further off than the interval: that has been shortened, or the clock set back."""
    due: int | None = await db.fetchval(_SELECT_DUE, name)
    if due is None:
        await db.execute(_INSERT, name)
        return True
    return due <= due_by or due > now + every_seconds
