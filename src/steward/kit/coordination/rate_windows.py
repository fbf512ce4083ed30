"""The rows that limits are counted in, one per subject, and what a process knows and holds of one."""

import asyncio
from collections.abc import Sequence

import msgspec

from steward.kit.db.query import Database, query, sql

# Messages between processes about a window: its allowances are wanted, taken or given back.
CHANNEL = "steward_allowances"

# How far the clocks of two processes may differ. A window that begins later than that was opened by a clock which has been set
# back since; it counts as over, or its limit would hold for hours.
_SKEW_MS = 10_000

_OVER = f"(w.ends <= excluded.started OR w.started > excluded.started + {_SKEW_MS})"
_HOLDERS = "w.holders + CASE WHEN w.started = $7 THEN 0 ELSE 1 END"
# As many as asked for, but no more than this process's part of what is left; of a drained window one at a time.
_PART = f"greatest(1, CASE WHEN w.drained THEN 1 ELSE ($6 - w.used) / ({_HOLDERS}) END)"
_GRANTED = f"least($5, {_PART}, greatest(0, $6 - w.used))"
_TAKE = sql(
    f"""INSERT INTO rate_windows AS w (scope, subject, started, ends, used, granted, holders, drained)
       VALUES ($1, $2, $3::bigint, $4, $5::integer, $5::integer, 1, false)
       ON CONFLICT (scope, subject) DO UPDATE SET
           started = CASE WHEN {_OVER} THEN excluded.started ELSE w.started END,
           ends    = CASE WHEN {_OVER} THEN excluded.ends ELSE w.ends END,
           used    = CASE WHEN {_OVER} THEN excluded.used ELSE w.used + {_GRANTED} END,
           granted = CASE WHEN {_OVER} THEN excluded.used ELSE {_GRANTED} END,
           holders = CASE WHEN {_OVER} THEN 1 ELSE {_HOLDERS} END,
           drained = CASE WHEN {_OVER} THEN false ELSE w.drained END
       RETURNING started, ends, used, granted, holders, drained"""  # noqa: S608 (of our own parts)
)
# Returns whether nothing was left before, so that others may be waiting or have refused a caller.
_GIVE_BACK = sql(
    """UPDATE rate_windows SET used = used - $4 WHERE scope = $1 AND subject = $2 AND started = $3
       RETURNING used + $4 >= $5"""
)
_DRAIN = sql(
    "UPDATE rate_windows SET drained = true WHERE scope = $1 AND subject = $2 AND started = $3 AND used >= $4"
)
_NOTIFY = sql("SELECT pg_notify($1, $2)")


class AllowanceMessage(msgspec.Struct, frozen=True):
    """About one window: which process wants its allowances; how many are handed out now, after a process took some; or else
    that some were given back."""

    wanted_by: str | None
    scope: str
    subject: str
    started: int
    used: int | None = None


class RateWindow(msgspec.Struct, eq=False):
    """What this process knows and holds of one subject's window."""

    allowed: int
    started: int = 0
    ends: int = 0
    used: int = 0  # handed out to all processes, as far as this one knows
    held: int = 0
    holders: int = 1
    drained: bool = False
    read_at: int = 0
    chunk: int = 0
    idle: bool = False
    # Another process asked for what this one holds while this one was asking itself.
    wanted: bool = False
    # Set while waiting for what others give back; of many windows few ever wait.
    returned: asyncio.Event | None = None
    refill: asyncio.Future[None] | None = None


def is_over(started: int, ends: int, now: int) -> bool:
    return ends <= now or started > now + _SKEW_MS


async def take_chunk(
    db: Database, scope: str, subject: str, window: RateWindow, *, chunk: int, now: int, ends: int
) -> None:
    """Writes into `window` what the row says now, and adds what it grants."""
    [row] = await db.fetch(_TAKE, scope, subject, now, ends, chunk, window.allowed, window.started)
    window.started, window.ends, window.used, window.held, window.holders, window.drained = row
    window.read_at = now


async def give_back(db: Database, scope: str, subject: str, window: RateWindow) -> None:
    """Gives back all that is held, and tells the others if they may be waiting for it."""
    held, window.held, window.chunk = window.held, 0, 0
    window.used -= held
    started = window.started
    if await db.fetchval(_GIVE_BACK, scope, subject, started, held, window.allowed):
        await say(db, AllowanceMessage(None, scope, subject, started))


async def say(db: Database, message: AllowanceMessage) -> None:
    await db.execute(_NOTIFY, CHANNEL, msgspec.json.encode(message).decode())


async def drain(db: Database, scope: str, subject: str, window: RateWindow) -> None:
    """From now on no process holds unused allowances, and a refusal is final."""
    window.drained = True
    await db.execute(_DRAIN, scope, subject, window.started, window.allowed)


@query(
    f"""SELECT ends FROM rate_windows
        WHERE scope = $1 AND subject = $2 AND ends > $4 AND started <= $4 + {_SKEW_MS} AND used >= $3"""  # noqa: S608
)
async def read_exhausted(db: Database, scope: str, subject: str, *, allowed: int, now: int) -> int | None:
    """When the window ends if nothing is left in it; otherwise None."""


@query(
    f"""SELECT subject FROM rate_windows
        WHERE scope = $1 AND subject = ANY($2::text[]) AND ends > $4 AND started <= $4 + {_SKEW_MS} AND used >= $3"""  # noqa: S608
)
async def read_all_exhausted(
    db: Database, scope: str, subjects: Sequence[str], *, allowed: int, now: int
) -> set[str]: ...


@query(
    """INSERT INTO rate_windows AS w (scope, subject, started, ends, used, granted, drained)
       VALUES ($1, $2, $4, $5, $3, $3, true)
       ON CONFLICT (scope, subject) DO UPDATE SET
           started = excluded.started, ends = excluded.ends, used = excluded.used, drained = true"""
)
async def exhaust(db: Database, scope: str, subject: str, *, allowed: int, now: int, ends: int) -> None: ...


@query(f"DELETE FROM rate_windows WHERE ends < $1 OR started > $1 + {_SKEW_MS}")  # noqa: S608
async def delete_ended_windows(db: Database, now_ms: int) -> None: ...
