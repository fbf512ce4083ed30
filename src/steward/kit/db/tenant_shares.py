"""How much of a pool one tenant may use: some connections are always left for the others."""

import asyncio
from collections import deque

from steward.kit.domain.problems import Unavailable
from steward.kit.runtime.fair_turns import current_tenant


class TenantShares:
    """At most three quarters of a pool's connections for one tenant; what is more waits for its own, for no longer than `seconds`."""

    def __init__(self, size: int, seconds: float) -> None:
        self._most = max(1, size - max(1, size // 4))
        self._seconds = seconds
        # By tenant, as long as there is anything.
        self._taken: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self) -> str | None:
        """A share for the tenant whose request runs, to be given back; None for work of the service itself, which takes none."""
        tenant = current_tenant()
        if tenant is None:
            return None
        taken = self._taken.get(tenant, 0)
        if taken < self._most:
            self._taken[tenant] = taken + 1
        else:
            await self._wait(tenant)
        return tenant

    def give_back(self, holder: str | None) -> None:
        if holder is None:
            return
        waiting = self._waiting.get(holder)
        while waiting:
            waiter = waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self._waiting.pop(holder, None)
        if (left := self._taken[holder] - 1) > 0:
            self._taken[holder] = left
        else:
            del self._taken[holder]

    async def _wait(self, holder: str) -> None:
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        timer = loop.call_later(self._seconds, _refuse, waiter)
        self._waiting.setdefault(holder, deque()).append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            # A share that was handed to us and that we can't use belongs to the next in line.
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.give_back(holder)
            raise
        finally:
            timer.cancel()


def _refuse(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_exception(
            Unavailable("Too many requests of yours wait for the database; try again shortly.")
        )
