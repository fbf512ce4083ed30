"""Long work in the event loop, done in short stretches: others get their turn in between.

A thread would not do: it needs the interpreter as much as the loop does.
"""

import asyncio
from time import perf_counter

STRETCH_SECONDS = 0.01


class Pace:
    """Asked after each small piece of work: `if pace.due: await pace.rest()`."""

    __slots__ = ("_since",)

    def __init__(self) -> None:
        self._since = perf_counter()

    @property
    def due(self) -> bool:
        return perf_counter() - self._since > STRETCH_SECONDS

    async def rest(self) -> None:
        await asyncio.sleep(0)
        self._since = perf_counter()
