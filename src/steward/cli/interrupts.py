"""How a one-off command ends early: in order, for every kind of stop request."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# Of a terminal that was closed, too. Under nohup that one is ignored, and stays so.
_REQUESTS = (signal.SIGTERM, signal.SIGHUP)


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
