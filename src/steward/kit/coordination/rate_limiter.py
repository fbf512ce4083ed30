"""Limits that hold over all processes without a round trip per request.

A process takes allowances from a row that all share, in chunks: few at first, four times as many each time, and never more
than its part of what is left. The row never hands out more than the limit, so the bound is exact for any number of processes.
Allowances that others hold are not lost: when the row has nothing left, they are asked back before a caller is refused; and
those that are unused for a second go back by themselves.
"""

from collections.abc import Callable, Sequence

import msgspec

from steward.kit.coordination import rate_windows
from steward.kit.coordination.limits import Allowance as Allowance
from steward.kit.coordination.limits import Limit as Limit
from steward.kit.coordination.limits import refusal as refusal
from steward.kit.coordination.rate_refill import Refiller
from steward.kit.coordination.rate_windows import AllowanceMessage, RateWindow
from steward.kit.coordination.rate_windows import delete_ended_windows as delete_ended_windows
from steward.kit.coordination.rate_windows import is_over as is_over
from steward.kit.db.pool import Database
from steward.kit.runtime import clock

_MAX_WINDOWS = 100_000
# How long a refusal holds without asking again, unless another process gives something back.
_FRESH_MS = 1000


class Limiter:
    def __init__(self, db: Database, now_ms: Callable[[], int] = clock.now_ms) -> None:
        self._db = db
        self._now_ms = now_ms
        self._refiller = Refiller(db, now_ms)
        self._windows: dict[tuple[str, str], RateWindow] = {}

    def take_held(self, limit: Limit, subject: str) -> Allowance | None:
        """Uses an allowance that this process holds already; None where it holds none."""
        window = self._windows.get((limit.scope, subject))
        if window is None or window.held == 0:
            return None
        now = self._now_ms()
        if is_over(window.started, window.ends, now):
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
            window = self._windows[limit.scope, subject] = RateWindow(limit.allowed)
        while window.held == 0 or is_over(window.started, window.ends, now):
            if window.drained and window.used >= limit.allowed and _is_fresh(window, now):
                return _allowance(limit, window, now, allowed=False)
            await self._refiller.refill(limit, subject, window)
            now = self._now_ms()
        window.held -= 1
        window.idle = False
        return _allowance(limit, window, now, allowed=True)

    async def require(self, limit: Limit, subject: str, words: str | None = None) -> None:
        """Uses one allowance; 429 if there is none left."""
        allowance = await self.take(limit, subject)
        if not allowance.allowed:
            raise refusal(limit, allowance, words)

    def _evict(self) -> None:
        """Bounds the memory: callers choose how many subjects there are, and the row knows all of those that hold nothing here."""
        if len(self._windows) >= _MAX_WINDOWS:
            self._windows = {key: each for key, each in self._windows.items() if each.held or each.refill}

    async def exhausted(self, limit: Limit, subject: str) -> Allowance | None:
        """Whether nothing is left, without using anything."""
        now = self._now_ms()
        ends = await rate_windows.read_exhausted(
            self._db, limit.scope, subject, allowed=limit.allowed, now=now
        )
        return None if ends is None else Allowance(False, 0, _seconds_until(ends, now))

    async def exhausted_of(self, limit: Limit, subjects: Sequence[str]) -> set[str]:
        """Those of several for whom nothing is left."""
        return await rate_windows.read_all_exhausted(
            self._db, limit.scope, subjects, allowed=limit.allowed, now=self._now_ms()
        )

    async def exhaust(self, limit: Limit, subject: str) -> None:
        """Leaves nothing for a whole window from now on; nothing is cached in this process."""
        now = self._now_ms()
        ends = now + limit.seconds * 1000
        await rate_windows.exhaust(self._db, limit.scope, subject, allowed=limit.allowed, now=now, ends=ends)

    def known(self, limit: Limit, subject: str) -> Allowance:
        """What is left as far as this process knows, without asking or using anything."""
        window = self._windows.get((limit.scope, subject))
        now = self._now_ms()
        if window is None or is_over(window.started, window.ends, now):
            return Allowance(True, limit.allowed, limit.seconds)
        return _allowance(limit, window, now, allowed=True)

    def give_back(self, limit: Limit, subject: str) -> None:
        """Returns an allowance that was taken for something that did not happen."""
        window = self._windows.get((limit.scope, subject))
        if window is not None:
            window.held += 1

    async def return_idle(self) -> None:
        """Called each second: allowances unused since the last call go back, and ended windows are dropped."""
        now = self._now_ms()
        for (scope, subject), window in list(self._windows.items()):
            if window.refill is not None:
                continue
            if is_over(window.started, window.ends, now):
                del self._windows[scope, subject]
            elif window.idle and window.held:
                await rate_windows.give_back(self._db, scope, subject, window)
            window.idle = True

    async def return_all(self) -> None:
        for window in self._windows.values():
            window.idle = True
        await self.return_idle()

    def on_message(self, payload: str) -> None:
        """A message of another process about a window."""
        message = msgspec.json.decode(payload, type=AllowanceMessage)
        window = self._windows.get((message.scope, message.subject))
        if window is None or window.started != message.started or message.wanted_by == self._refiller.process:
            return
        if message.used is not None:
            window.used = max(window.used, message.used)
        elif message.wanted_by is None:
            window.read_at = 0  # ask again before refusing
            if window.returned is not None:
                window.returned.set()
        elif window.refill is not None:
            window.wanted = True
        elif window.held:
            give_back = rate_windows.give_back(self._db, message.scope, message.subject, window)
            self._refiller.run_soon(give_back)


def _is_fresh(window: RateWindow, now: int) -> bool:
    """Whether the last answer still counts. One from the future doesn't: the clock has been set back."""
    return not is_over(window.started, window.ends, now) and 0 <= now - window.read_at < _FRESH_MS


def _allowance(limit: Limit, window: RateWindow, now: int, *, allowed: bool) -> Allowance:
    remaining = max(0, limit.allowed - window.used + window.held)
    return Allowance(allowed, remaining, _seconds_until(window.ends, now))


def _seconds_until(moment_ms: int, now_ms: int) -> int:
    return max(1, -(-(moment_ms - now_ms) // 1000))
