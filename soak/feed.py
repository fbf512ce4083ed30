"""Readers of the change feed: they know a cursor and nothing else."""

import asyncio
import time
from urllib.parse import urlencode

from soak.calls import Caller
from soak.setup import SoakSetup

# Shorter than any answer may take.
_WAIT_SECONDS = 3
_PAUSE = 0.3


class FeedReader:
    """From the oldest event on. One that gets no answer asks the same again; it never asks again for events that it has."""

    def __init__(self, setup: SoakSetup, caller: Caller) -> None:
        self._path = f"/v2/organizations/{setup.organization}/events"
        self._caller = caller
        self._cursor: str | None = None
        self.seen: list[str] = []

    async def run(self, over: asyncio.Event) -> None:
        while not over.is_set():
            await self._step()

    async def catch_up(self, expected: int, seconds: float) -> None:
        """Until so many are seen and nothing comes after them."""
        deadline = time.monotonic() + seconds
        while (await self._step() or len(self.seen) < expected) and time.monotonic() < deadline:
            pass

    async def _step(self) -> int:
        """How many events came."""
        query = {"order": "asc", "limit": "100", "wait": str(_WAIT_SECONDS)}
        if self._cursor is not None:
            query["after"] = self._cursor
        answer = await self._caller.call("GET", f"{self._path}?{urlencode(query)}")
        if answer is None or answer.status != 200:
            if answer is not None and answer.status < 500:
                self._caller.note_unexpected("read the feed", answer)
            await asyncio.sleep(_PAUSE)
            return 0
        self._cursor = answer.body["lastEvaluatedKey"]
        self.seen += [event["id"] for event in answer.data]
        return len(answer.data)
