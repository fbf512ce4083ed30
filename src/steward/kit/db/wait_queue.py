"""A first-in, first-out queue of waiters with a time limit."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from steward.kit.domain.problems import Unavailable

T = TypeVar("T")


class WaitQueue(Generic[T]):
    """After `seconds`, a waiter gets the error `why`."""

    def __init__(self, seconds: float, why: str) -> None:
        self._seconds = seconds
        self._why = why
        self._waiting: deque[asyncio.Future[T]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    async def wait(self, give_back: Callable[[T], None]) -> T:
        """A result that a cancelled waiter has already got is given back."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[T] = loop.create_future()
        timer = loop.call_later(self._seconds, _refuse, waiter, self._why)
        self._waiting.append(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                give_back(waiter.result())
            raise
        finally:
            timer.cancel()

    def hand(self, thing: T) -> bool:
        """Gives it to the first waiter, so that no newcomer gets it first; False without one."""
        waiter = self.first()
        if waiter is not None:
            waiter.set_result(thing)
        return waiter is not None

    def first(self) -> "asyncio.Future[T] | None":
        """Removes and returns the first waiter."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                return waiter
        return None

    def refuse_all(self, why: str) -> None:
        while (waiter := self.first()) is not None:
            _refuse(waiter, why)


def _refuse(waiter: "asyncio.Future[T]", why: str) -> None:
    if not waiter.done():
        waiter.set_exception(Unavailable(why))
