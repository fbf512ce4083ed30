"""Takes chunks of allowances from the row that all processes share, and asks other processes for theirs when it is used up."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from steward.kit.coordination import rate_windows
from steward.kit.coordination.limits import Limit
from steward.kit.coordination.rate_windows import AllowanceMessage, RateWindow, is_over
from steward.kit.db.connection import DATABASE_AWAY
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Unavailable

# The first chunk of a window is this fraction of the limit; each further one is so many times as large.
_FIRST_CHUNK = 64
_GROWTH = 4
# Limits up to this one are counted one by one: no process holds any, so there is nothing to ask back.
_ONE_BY_ONE = 50
# How long to wait for what others hold when nothing is left. Once in a window: then it is drained.
_RECALL_SECONDS = 0.1


class Refiller:
    """`process` names this process in messages to the others."""

    def __init__(self, db: Database, now_ms: Callable[[], int]) -> None:
        self.process = new_id("lim")
        self._db = db
        self._now_ms = now_ms
        self._running: set[asyncio.Task[None]] = set()

    def run_soon(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_unless_away(work), name="allowances")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def refill(self, limit: Limit, subject: str, window: RateWindow) -> None:
        if window.refill is not None:  # one statement under way serves all that wait
            await asyncio.shield(window.refill)
            return
        window.refill = asyncio.get_running_loop().create_future()
        try:
            await self._take_chunk(limit, subject, window)
            if window.held == 0 and not window.drained:
                await self._recall(limit, subject, window)
        except BaseException as error:
            # For all that wait: if each asked again after that, the last would wait many times as long.
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
                # The local waiters come first: they run before this task does.
                self.run_soon(rate_windows.give_back(self._db, limit.scope, subject, window))

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
            self.run_soon(rate_windows.say(self._db, taken))

    async def _recall(self, limit: Limit, subject: str, window: RateWindow) -> None:
        """Nothing is left in the row: ask the other processes for what they hold, and wait for a moment."""
        if window.holders > 1 and limit.allowed > _ONE_BY_ONE:
            returned = window.returned = asyncio.Event()
            await rate_windows.say(
                self._db, AllowanceMessage(self.process, limit.scope, subject, window.started)
            )
            deadline = asyncio.get_running_loop().time() + _RECALL_SECONDS
            while window.held == 0 and await _set_by(returned, deadline):
                returned.clear()
                await self._take_chunk(limit, subject, window)
            if window.held == 0:
                await self._take_chunk(limit, subject, window)
            window.returned = None
            window.wanted = False  # it was wanted here
        if window.held == 0:
            await rate_windows.drain(self._db, limit.scope, subject, window)


async def _set_by(event: asyncio.Event, deadline: float) -> bool:
    try:
        async with asyncio.timeout_at(deadline):
            return await event.wait()
    except TimeoutError:
        return False


async def _unless_away(work: Coroutine[Any, Any, None]) -> None:
    """Allowances that can't be given back are lost to this window; the limit still holds."""
    try:
        await work
    except (*DATABASE_AWAY, Unavailable):
        return
