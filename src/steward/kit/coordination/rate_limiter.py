"""Limits that hold over all processes without a round trip per request.

A process takes allowances from a row that all share, in chunks: few at first, four times as many each time, and never more
than its part of what is left. The row never hands out more than the limit, so the bound is exact however many processes there
are. What others hold is no loss: when the row has nothing left, it is asked back before anybody is refused; and what nobody uses
for a second goes back by itself.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec

from steward.kit.coordination import rate_windows
from steward.kit.coordination.rate_windows import AllowanceMessage, RateWindow
from steward.kit.coordination.rate_windows import delete_ended_windows as delete_ended_windows
from steward.kit.coordination.rate_windows import is_over as is_over
from steward.kit.db.connection import DATABASE_AWAY
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import TooManyRequests, Unavailable
from steward.kit.runtime import clock

_MAX_WINDOWS = 100_000
# The first chunk of a window is this fraction of the limit; each further one is so many times as large.
_FIRST_CHUNK = 64
_GROWTH = 4
# Limits up to this one are counted one by one: nothing is held, and so nothing is to be asked back.
_ONE_BY_ONE = 50
# For so long nothing is left without asking again, unless somebody says that they have given something back.
_FRESH_MS = 1000
# How long whoever finds nothing left waits for what others hold. Once in a window: then it is drained.
_RECALL_SECONDS = 0.1


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


class Limiter:
    def __init__(self, db: Database, now_ms: Callable[[], int] = clock.now_ms) -> None:
        self._db = db
        self._now_ms = now_ms
        self._id = new_id("lim")
        self._windows: dict[tuple[str, str], RateWindow] = {}
        self._answering: set[asyncio.Task[None]] = set()

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
        """Leaves nothing for a whole window from now on; this process remembers nothing of it."""
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
                await rate_windows.give_back(self._db, scope, subject, window)
            window.idle = True

    async def return_all(self) -> None:
        for window in self._windows.values():
            window.idle = True
        await self.return_idle()

    def on_message(self, payload: str) -> None:
        """What a process says of a window that we may know."""
        message = msgspec.json.decode(payload, type=AllowanceMessage)
        window = self._windows.get((message.scope, message.subject))
        if window is None or window.started != message.started or message.wanted_by == self._id:
            return
        if message.used is not None:
            window.used = max(window.used, message.used)
        elif message.wanted_by is None:
            window.read_at = 0  # nobody is refused by what we remember
            if window.returned is not None:
                window.returned.set()
        elif window.refill is not None:
            window.wanted = True
        elif window.held:
            self._answer(rate_windows.give_back(self._db, message.scope, message.subject, window))

    def _answer(self, answer: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_unless_away(answer), name="allowances")
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _refill(self, limit: Limit, subject: str, window: RateWindow) -> None:
        if window.refill is not None:  # somebody is asking already; one answer serves all who wait
            await asyncio.shield(window.refill)
            return
        window.refill = asyncio.get_running_loop().create_future()
        try:
            await self._take_chunk(limit, subject, window)
            if window.held == 0 and not window.drained:
                await self._recall(limit, subject, window)
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
            if window.wanted:
                window.wanted = False
                # Those who waited here come first: they run before this task does.
                self._answer(rate_windows.give_back(self._db, limit.scope, subject, window))

    async def _take_chunk(self, limit: Limit, subject: str, window: RateWindow) -> None:
        now, before = self._now_ms(), window.started
        window.allowed = limit.allowed
        first = 1 if limit.allowed <= _ONE_BY_ONE else max(1, limit.allowed // _FIRST_CHUNK)
        chunk = first if is_over(window.started, window.ends, now) else window.chunk or first
        ends = now + limit.seconds * 1000
        await rate_windows.take_chunk(self._db, limit.scope, subject, window, chunk=chunk, now=now, ends=ends)
        grown = first if window.started != before else min(limit.allowed, chunk * _GROWTH)
        window.chunk = 1 if limit.allowed <= _ONE_BY_ONE else grown
        if window.holders > 1 and limit.allowed > _ONE_BY_ONE and window.held:
            # So that all processes report the same number left, except for what each of them holds.
            taken = AllowanceMessage(None, limit.scope, subject, window.started, window.used)
            self._answer(rate_windows.say(self._db, taken))

    async def _recall(self, limit: Limit, subject: str, window: RateWindow) -> None:
        """Nothing is left in the row: what others hold is asked back, and waited for a moment."""
        if window.holders > 1 and limit.allowed > _ONE_BY_ONE:
            returned = window.returned = asyncio.Event()
            await rate_windows.say(self._db, AllowanceMessage(self._id, limit.scope, subject, window.started))
            deadline = asyncio.get_running_loop().time() + _RECALL_SECONDS
            while window.held == 0 and await _set_by(returned, deadline):
                returned.clear()
                await self._take_chunk(limit, subject, window)
            if window.held == 0:
                await self._take_chunk(limit, subject, window)
            window.returned = None
            window.wanted = False  # as it is here
        if window.held == 0:
            await rate_windows.drain(self._db, limit.scope, subject, window)


async def _set_by(event: asyncio.Event, deadline: float) -> bool:
    try:
        async with asyncio.timeout_at(deadline):
            return await event.wait()
    except TimeoutError:
        return False


async def _unless_away(answer: Coroutine[Any, Any, None]) -> None:
    """What could not be given back is lost to this window: nobody gets more than the limit by that."""
    try:
        await answer
    except (*DATABASE_AWAY, Unavailable):
        return


def refusal(limit: Limit, allowance: Allowance) -> TooManyRequests:
    return TooManyRequests(
        f"at most {limit.allowed} {limit.what} in {limit.seconds} seconds.",
        retry_after=allowance.reset_seconds,
    )


def _is_fresh(window: RateWindow, now: int) -> bool:
    """Whether the last answer still counts. One from a time to come does not: the clock has been set back."""
    return not is_over(window.started, window.ends, now) and 0 <= now - window.read_at < _FRESH_MS


def _allowance(limit: Limit, window: RateWindow, now: int, *, allowed: bool) -> Allowance:
    remaining = max(0, limit.allowed - window.used + window.held)
    return Allowance(allowed, remaining, _seconds_until(window.ends, now))


def _seconds_until(moment_ms: int, now_ms: int) -> int:
    return max(1, -(-(moment_ms - now_ms) // 1000))
