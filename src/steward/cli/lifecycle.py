"""How a command that serves ends: asked by a signal or by the death of its supervisor, and within a deadline."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from steward.kit.runtime.log import log
from steward.kit.runtime.stop_event import StopEvent, StopMode
from steward.supervisor.inherited_files import watch_parent

_MODES = {
    signal.SIGTERM: StopMode.DRAIN,
    signal.SIGHUP: StopMode.HAND_OVER,
    signal.SIGINT: StopMode.IMMEDIATE,
}


async def run_until_stopped(work: Callable[[StopEvent], Coroutine[Any, Any, None]], seconds: float) -> None:
    """Runs `work` with an event that SIGINT, SIGTERM, SIGHUP and the death of the supervisor set.

    From then on it has so many seconds, whatever hangs: near their end it is cancelled, then the process ends as it is.
    """
    stop = StopEvent()
    loop = asyncio.get_running_loop()
    for number, mode in _MODES.items():
        loop.add_signal_handler(number, stop.request, mode)
    watch_parent(os.environ, partial(loop.call_soon_threadsafe, stop.request))
    working, stopping = asyncio.create_task(work(stop)), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            _exit_at_deadline(seconds)
            # Something is left at the end for those who are cancelled.
            await asyncio.wait({working}, timeout=seconds - min(1.0, seconds / 4))
        if not working.done():
            log.warning("stopping took too long; the rest is cut off", seconds=seconds)
            working.cancel()
        with suppress(asyncio.CancelledError):
            await working
    finally:
        stopping.cancel()


def _exit_at_deadline(seconds: float) -> None:
    """In a thread of its own, so that also a loop that stands still comes to its end."""

    def end() -> None:
        sys.stderr.write(f"steward: not stopped after {seconds:g} s, ending as it is\n")
        sys.stderr.flush()
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
