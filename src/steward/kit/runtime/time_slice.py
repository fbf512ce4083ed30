"""Long work in the event loop, done in short stretches: others get their turn in between.

A thread would not do: it needs the interpreter as much as the loop does.
"""

import asyncio
from time import perf_counter

SLICE_SECONDS = 0.001


class TimeSlice:
    """Asked after each small piece of work: `if time_slice.expired: await time_slice.yield_control()`."""

    __slots__ = ("_since",)

    def __init__(self) -> None:
        self._since = perf_counter()

    @property
    def expired(self) -> bool:
        return perf_counter() - self._since > SLICE_SECONDS

    async def yield_control(self) -> None:
        await asyncio.sleep(0)
        self._since = perf_counter()
