"""How much of the event loop a tenant has used lately."""

import asyncio
from collections import deque
from math import exp, log

# After a second half of what was used is forgotten.
_FADING = log(2)
# A step is long that takes more; for how many times as long the tenant leaves the loop alone then.
_LONG_SECONDS = 0.005
_REST = 2


class LoopUse:
    __slots__ = ("_used", "as_of", "longest", "requests", "rests_until", "tenant", "waiting")

    def __init__(self, organization: str) -> None:
        self.tenant = organization
        # The use at the end of the last step, and when that was.
        self._used = self.as_of = 0.0
        # The expected length of a step: the longest of late.
        self.longest = 0.0
        self.rests_until = 0.0
        self.requests = 0
        self.waiting: deque[asyncio.Future[None]] = deque()

    def used(self, now: float) -> float:
        return self._used * exp((self.as_of - now) * _FADING)

    def charge(self, seconds: float, now: float) -> None:
        self._used, self.as_of = self.used(now) + seconds, now
        self.longest = max(seconds, 0.9 * self.longest)
        if seconds > _LONG_SECONDS:
            self.rests_until = now + _REST * seconds
