"""Work that a request starts without waiting for it. It is bounded, errors are logged, and a stop gives it time to end."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from steward.kit.domain.problems import Unavailable
from steward.kit.runtime.log import log


class BackgroundTasks:
    def __init__(self, most: int) -> None:
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, name: str, work: Coroutine[Any, Any, object]) -> None:
        """503 where too much is under way already."""
        if len(self._tasks) >= self._most:
            work.close()
            raise Unavailable("Too much is going on at the moment; try again shortly.", retry_after=10)
        task = asyncio.create_task(_run(name, work), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        """Waits for what is under way."""
        if self._tasks:
            await asyncio.wait(self._tasks)


async def _run(name: str, work: Coroutine[Any, Any, object]) -> None:
    try:
        await work
    except Exception as error:  # noqa: BLE001 (no caller would see it)
        # Its words may hold what a person typed.
        log.error("work in the background failed", work=name, kind=type(error).__name__)
