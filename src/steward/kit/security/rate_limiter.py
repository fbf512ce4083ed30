"""Limits that hold over all processes without a round trip per request.

A process takes allowances from a row that all share, in chunks: few at first, four times as many each time, and fewer
the nearer the limit is. The row never hands out more than the limit, so the bound is exact however many processes there
are; what an idle process holds goes back to the row within a second.
"""

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.domain.problems import TooManyRequests, Unavailable
from steward.kit.runtime import clock

# So far the clocks of two processes may be apart. A window that begins later than that was opened by a clock which has been
# set back since; it is over, or its limit would hold for hours.
_SKEW_MS = 10_000

_OVER = f"(w.ends <= excluded.started OR w.started > excluded.started + {_SKEW_MS})"
_TAKE = sql(
    f"""INSERT INTO rate_windows AS w (scope, subject, started, ends, used, granted)
       VALUES ($1, $2, $3, $4, $5, $5)
       ON CONFLICT (scope, subject) DO UPDATE SET
           started = CASE WHEN {_OVER} THEN excluded.started ELSE w.started END,
           ends    = CASE WHEN {_OVER} THEN excluded.ends ELSE w.ends END,
           used    = CASE WHEN {_OVER} THEN excluded.used ELSE greatest(w.used, least(w.used + $5, $6)) END,
           granted = CASE WHEN {_OVER} THEN excluded.used ELSE greatest(w.used, least(w.used + $5, $6)) - w.used END
       RETURNING started, ends, used, granted"""  # noqa: S608 (of our own parts)
)
_GIVE_BACK = sql(
    "UPDATE rate_windows SET used = used - $4 WHERE scope = $1 AND subject = $2 AND started = $3"
)
_READ = sql(
    f"""SELECT started, ends, used FROM rate_windows
        WHERE scope = $1 AND subject = $2 AND ends > $3 AND started <= $3 + {_SKEW_MS}"""  # noqa: S608
)
_READ_EXHAUSTED = sql(
    f"""SELECT subject FROM rate_windows
        WHERE scope = $1 AND subject = ANY($2::text[]) AND ends > $3 AND started <= $3 + {_SKEW_MS} AND used >= $4"""  # noqa: S608
)
_EXHAUST = sql(
    """INSERT INTO rate_windows AS w (scope, subject, started, ends, used, granted) VALUES ($1, $2, $3, $4, $5, $5)
       ON CONFLICT (scope, subject) DO UPDATE SET started = excluded.started, ends = excluded.ends, used = excluded.used"""
)
_DELETE_ENDED = sql(f"DELETE FROM rate_windows WHERE ends < $1 OR started > $1 + {_SKEW_MS}")  # noqa: S608

_MAX_WINDOWS = 100_000
# The first chunk of a window is this fraction of the limit; each further one is so many times as large.
_FIRST_CHUNK = 16
_GROWTH = 4
# A chunk is at most this fraction of what is left, so that several processes get their part.
_MAX_CHUNK = 8
# For so long nothing is left without asking again; others may give back what they don't use.
_FRESH_MS = 1000


class Limit(msgspec.Struct, frozen=True):
    """`allowed` times in `seconds`, counted from the first."""

    scope: str
    allowed: int
    seconds: int
    what: str
    # The limit as the headers of an answer tell it.
    policy: str = ""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "policy", f'"{self.scope}";q={self.allowed};w={self.seconds}')


class Allowance(msgspec.Struct, frozen=True):
    allowed: bool
    remaining: int
    reset_seconds: int


class _Window:
    """What this process knows and holds of one subject's window."""

    __slots__ = ("chunk", "ends", "held", "idle", "read_at", "refill", "started", "used")

    def __init__(self) -> None:
        self.started = 0
        self.ends = 0
        self.used = 0  # handed out to all processes, as of the last time we asked
        self.held = 0
        self.read_at = 0
        self.chunk = 0
        self.idle = False
        self.refill: asyncio.Future[None] | None = None


class Limiter:
    def __init__(self, db: Database, now_ms: Callable[[], int] = clock.now_ms) -> None:
        self._db = db
        self._now_ms = now_ms
        self._windows: dict[tuple[str, str], _Window] = {}

    def take_held(self, limit: Limit, subject: str) -> Allowance | None:
        """Uses an allowance that this process holds already; None where it holds none."""
        window = self._windows.get((limit.scope, subject))
        if window is None or window.held == 0:
            return None
        now = self._now_ms()
        if window.ends <= now or window.started > now + _SKEW_MS:
            return None
        window.held -= 1
        window.idle = False
        return _allowance(limit, window, now, allowed=True)

    async def take(self, limit: Limit, subject: str) -> Allowance:
        """Uses one allowance, if there is one left."""
        now = self._now_ms()
        window = self._windows.get((limit.scope, subject))
        if window is None:
            self._evict()
            window = self._windows[limit.scope, subject] = _Window()
        while window.held == 0 or is_over(window.started, window.ends, now):
            if window.used >= limit.allowed and _is_fresh(window, now):
                return _allowance(limit, window, now, allowed=False)
            await self._refill(limit, subject, window)
            now = self._now_ms()
        window.held -= 1
        window.idle = False
        return _allowance(limit, window, now, allowed=True)

    async def require(self, limit: Limit, subject: str) -> None:
        """Uses one allowance; 429 where there is none left."""
        allowance = await self.take(limit, subject)
        if not allowance.allowed:
            raise refusal(limit, allowance)

    def _evict(self) -> None:
        """Who calls is up to strangers; of those who hold nothing here, the database knows as much as we do."""
        if len(self._windows) >= _MAX_WINDOWS:
            self._windows = {key: each for key, each in self._windows.items() if each.held or each.refill}

    async def exhausted(self, limit: Limit, subject: str) -> Allowance | None:
        """Whether nothing is left, without using anything."""
        now = self._now_ms()
        row = await self._db.fetchrow(_READ, limit.scope, subject, now)
        if row is None or row["used"] < limit.allowed:
            return None
        return Allowance(False, 0, _seconds_until(row["ends"], now))

    async def exhausted_of(self, limit: Limit, subjects: Sequence[str]) -> set[str]:
        """Those of several for whom nothing is left."""
        rows = await self._db.fetch(
            _READ_EXHAUSTED, limit.scope, list(subjects), self._now_ms(), limit.allowed
        )
        return {row[0] for row in rows}

    async def exhaust(self, limit: Limit, subject: str) -> None:
        """Leaves nothing for a whole window from now on; this process remembers nothing of it."""
        now = self._now_ms()
        await self._db.execute(_EXHAUST, limit.scope, subject, now, now + limit.seconds * 1000, limit.allowed)

    def known(self, limit: Limit, subject: str) -> Allowance:
        """What is left as far as this process knows, without asking or using anything."""
        window = self._windows.get((limit.scope, subject))
        now = self._now_ms()
        if window is None or is_over(window.started, window.ends, now):
            return Allowance(True, limit.allowed, limit.seconds)
        return _allowance(limit, window, now, allowed=True)

    def give_back(self, limit: Limit, subject: str) -> None:
        """For an allowance that was taken for something that then did not happen."""
        window = self._windows.get((limit.scope, subject))
        if window is not None:
            window.held += 1

    async def return_idle(self) -> None:
        """Called each second: what nobody used since the last call goes back, and ended windows are forgotten."""
        now = self._now_ms()
        for (scope, subject), window in list(self._windows.items()):
            if window.refill is not None:
                continue
            if is_over(window.started, window.ends, now):
                del self._windows[scope, subject]
            elif window.idle and window.held:
                held, window.held, window.chunk = window.held, 0, 0
                window.used -= held
                await self._db.execute(_GIVE_BACK, scope, subject, window.started, held)
            window.idle = True

    async def return_all(self) -> None:
        for window in self._windows.values():
            window.idle = True
        await self.return_idle()

    async def _refill(self, limit: Limit, subject: str, window: _Window) -> None:
        if window.refill is not None:  # somebody is asking already; one answer serves all who wait
            await asyncio.shield(window.refill)
            return
        window.refill = asyncio.get_running_loop().create_future()
        try:
            now = self._now_ms()
            left = limit.allowed - (0 if is_over(window.started, window.ends, now) else window.used)
            chunk = max(1, min(window.chunk or limit.allowed // _FIRST_CHUNK, left // _MAX_CHUNK))
            row = await self._db.fetchrow(
                _TAKE, limit.scope, subject, now, now + limit.seconds * 1000, chunk, limit.allowed
            )
            assert row is not None  # noqa: S101 (the statement always returns its row)
            window.chunk = 0 if row["started"] != window.started else chunk * _GROWTH
            window.started, window.ends, window.used = row["started"], row["ends"], row["used"]
            window.held = row["granted"]
            window.read_at = now
        except BaseException as error:
            # For all who wait: were each to ask by itself after that, the last would wait many times as long.
            failure = error if isinstance(error, Exception) else Unavailable("Try again.")
            window.refill.set_exception(failure)
            window.refill.exception()
            raise
        else:
            window.refill.set_result(None)
        finally:
            window.refill = None


def refusal(limit: Limit, allowance: Allowance) -> TooManyRequests:
    return TooManyRequests(
        f"at most {limit.allowed} {limit.what} in {limit.seconds} seconds.",
        retry_after=allowance.reset_seconds,
    )


def is_over(started: int, ends: int, now: int) -> bool:
    return ends <= now or started > now + _SKEW_MS


def _is_fresh(window: _Window, now: int) -> bool:
    """Whether the last answer still counts. One from a time to come does not: the clock has been set back."""
    return not is_over(window.started, window.ends, now) and 0 <= now - window.read_at < _FRESH_MS


def _allowance(limit: Limit, window: _Window, now: int, *, allowed: bool) -> Allowance:
    remaining = max(0, limit.allowed - window.used + window.held)
    return Allowance(allowed, remaining, _seconds_until(window.ends, now))


def _seconds_until(moment_ms: int, now_ms: int) -> int:
    return max(1, -(-(moment_ms - now_ms) // 1000))


async def forget_ended_windows(db: Database, now_ms: int) -> None:
    await db.execute(_DELETE_ENDED, now_ms)
