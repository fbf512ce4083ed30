"""How commands end. One that serves: asked by a signal or by the death of its supervisor, and within a deadline. A one-off command: in
order, for every kind of stop request."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import Any

from steward.kit.runtime.log import log
from steward.kit.runtime.stop_event import StopEvent, StopMode
from steward.supervisor.inherited_files import watch_parent

_MODES = {
    signal.SIGTERM: StopMode.DRAIN,
    signal.SIGHUP: StopMode.HAND_OVER,
    signal.SIGINT: StopMode.IMMEDIATE,
}
# Of a terminal that was closed, too. Under nohup that one is ignored, and stays so.
_REQUESTS = (signal.SIGTERM, signal.SIGHUP)


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


@contextmanager
def interrupted_by_requests() -> Iterator[None]:
    """In here SIGTERM raises KeyboardInterrupt like Ctrl-C, so that code cleans up."""
    wanted = [number for number in _REQUESTS if signal.getsignal(number) is signal.SIG_DFL]
    for number in wanted:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in wanted:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """For the cleaning up itself."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, *_REQUESTS)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    # A running event loop has a handler of its own there, which ends its tasks first.
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)
