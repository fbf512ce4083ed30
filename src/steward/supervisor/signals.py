"""Requests to stop, heard at moments of our choosing."""

import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Any, Self

# `timeout` and some service managers signal the process and then its group: both are one request.
_SAME_REQUEST_SECONDS = 0.3


class StopRequested(KeyboardInterrupt):
    """A KeyboardInterrupt because those, unlike other exceptions, also end a running event loop."""


class StopSignals:
    """While entered, SIGINT, SIGTERM and SIGHUP only count here, and the death of a child ends a wait.

    A pipe carries the news instead of a threading.Event: setting one in a handler can deadlock with the wait
    that the handler interrupts.
    """

    def __init__(self) -> None:
        self.requests = 0
        self._last_request = 0.0
        self._interrupting = False
        self._previous: dict[signal.Signals, Any] = {}
        self._news, self._tell = os.pipe()
        for end in (self._news, self._tell):
            os.set_blocking(end, False)

    def __enter__(self) -> Self:
        for wanted in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # Under nohup the end of the terminal is not meant for us.
            if wanted is not signal.SIGHUP or signal.getsignal(wanted) is not signal.SIG_IGN:
                self._previous[wanted] = signal.signal(wanted, self._on_stop)
        self._previous[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, self._on_child)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for wanted, handler in self._previous.items():
            signal.signal(wanted, handler)
        os.close(self._news)
        os.close(self._tell)

    def wait(self, seconds: float) -> None:
        """Waits that long at most, less when a signal arrives."""
        poll = select.poll()
        poll.register(self._news, select.POLLIN)
        if poll.poll(max(0.0, seconds) * 1000):
            with suppress(BlockingIOError):
                os.read(self._news, 4096)

    def pause(self, seconds: float) -> None:
        """Waits that long, or raises StopRequested as soon as someone asks us to stop."""
        deadline = time.monotonic() + seconds
        while not self.requests and (remaining := deadline - time.monotonic()) > 0:
            self.wait(remaining)
        if self.requests:
            raise StopRequested

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """For code that can't ask us: in here a request raises StopRequested wherever it arrives."""
        self._interrupting = True
        try:
            if self.requests:
                raise StopRequested
            yield
        finally:
            self._interrupting = False

    def _on_stop(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self.requests or now - self._last_request > _SAME_REQUEST_SECONDS:
            self.requests += 1
            self._last_request = now
        self._wake()
        if self._interrupting:
            self._interrupting = False  # once is enough: a second would hit the cleaning up
            raise StopRequested

    def _on_child(self, _number: int, _frame: FrameType | None) -> None:
        self._wake()

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # full: the waiter has enough to wake up for
            os.write(self._tell, b"!")
