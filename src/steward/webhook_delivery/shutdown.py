"""The last things that a worker writes: each in its time, whatever hangs."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from steward.kit.runtime.log import log


async def finish_within(seconds: float, work: Coroutine[Any, Any, object]) -> bool:
    """Whether it was done in time, and done. What doesn't even end when it is cancelled is left to itself."""
    task = asyncio.create_task(work)
    done, _ = await asyncio.wait([task], timeout=seconds)
    task.cancel()
    if done and (error := task.exception()) is not None:
        log.warning("not everything could be written down on stopping", error=repr(error))
    return bool(done) and task.exception() is None
