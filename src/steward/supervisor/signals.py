"""Requests to stop or to restart, handled at safe points."""

import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Self

# `timeout` and some service managers signal the process and then its group: both are one request.
_SAME_REQUEST_SECONDS = 0.3


class StopRequested(KeyboardInterrupt):
    """A KeyboardInterrupt because those, unlike other exceptions, also end a running event loop."""


class StopSignals:
    """While entered, SIGINT and SIGTERM only count here, SIGHUP asks for a restart, the death of a child ends a wait.

    SIGHUP also says that a terminal was closed; then it is a request to stop.

    A pipe carries the news instead of a threading.Event: setting one in a handler can deadlock with the wait
    that the handler interrupts.
    """

    def __init__(self) -> None:
        self.requests = 0
        # The first of them: it says how much of a hurry there is.
        self.signal = signal.SIGTERM
        self._last_request = 0.0
        self._restart_wanted = False
        self._terminal = _has_terminal()
        self._interrupting = False
        self._survives_terminal = False
        self._previous: dict[signal.Signals, Any] = {}
        self._wake_reader, self._wake_writer = os.pipe()
        for end in (self._wake_reader, self._wake_writer):
            os.set_blocking(end, False)

    def __enter__(self) -> Self:
        # Under nohup the end of the terminal is not meant for us.
        self._survives_terminal = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        for wanted, handler in (
            (signal.SIGINT, self._on_stop),
            (signal.SIGTERM, self._on_stop),
            (signal.SIGHUP, self._on_hangup),
            (signal.SIGCHLD, self._wake),
        ):
            self._previous[wanted] = signal.signal(wanted, handler)
        return self

    def __exit__(self, *_: object) -> None:
        for wanted, handler in self._previous.items():
            signal.signal(wanted, handler)
        os.close(self._wake_reader)
        os.close(self._wake_writer)

    def take_restart(self) -> bool:
        """Whether a restart was asked for since this was asked last."""
        wanted, self._restart_wanted = self._restart_wanted, False
        return wanted

    def wait(self, seconds: float) -> None:
        """Waits that long at most, less when a signal arrives."""
        poll = select.poll()
        poll.register(self._wake_reader, select.POLLIN)
        if poll.poll(max(0.0, seconds) * 1000):
            with suppress(BlockingIOError):
                os.read(self._wake_reader, 4096)

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

    def _on_stop(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self.requests:
            self.signal = signal.SIGINT if number == signal.SIGINT else signal.SIGTERM
        if not self.requests or now - self._last_request > _SAME_REQUEST_SECONDS:
            self.requests += 1
            self._last_request = now
        self._wake()
        if self._interrupting:
            self._interrupting = False  # once is enough: a second would hit the cleaning up
            raise StopRequested

    def _on_hangup(self, number: int, frame: FrameType | None) -> None:
        # The kernel closes a terminal before it sends the signal.
        if self._terminal and not _has_terminal():
            self._terminal = False
            if not self._survives_terminal:
                self._on_stop(number, frame)
            return
        self._restart_wanted = True
        self._wake()

    def _wake(self, *_: object) -> None:
        with suppress(BlockingIOError):  # full: the waiter has enough to wake up for
            os.write(self._wake_writer, b"!")


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True
