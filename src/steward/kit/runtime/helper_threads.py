"""Threads for work that releases the GIL, such as compression, beside the event loop.

There are few such threads, the loop has priority, and a tenant has one of them at a time: one tenant's twenty large bodies don't
block another's.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from steward.kit.runtime.fair_turns import current_tenant
from steward.kit.runtime.keyed_locks import KeyedLocks

# Below this, the hand-over takes as long as the work.
SMALLEST = 64 * 1024
_THREADS = 2
_NICENESS = 5

T = TypeVar("T")


def _step_back() -> None:
    """Linux knows a niceness for each thread; elsewhere it would be that of the whole process."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


_threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="helper", initializer=_step_back)
_turns = KeyedLocks()


async def beside_loop(work: Callable[..., T], *values: object) -> T:
    """The result of work that releases the GIL for most of its time."""
    async with _turns.lock(current_tenant() or ""):
        return await asyncio.get_running_loop().run_in_executor(_threads, work, *values)
