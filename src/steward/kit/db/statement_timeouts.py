"""Ends connections whose server doesn't answer in time.

A timer for every statement would cost more than many statements do. So a connection only records when it sent one, and four times a second all
waiting connections are checked. An unresponsive server isn't asked to cancel the statement, since it wouldn't answer that either.
"""

import asyncio
import time
from typing import Protocol
from weakref import WeakKeyDictionary

CHECK_SECONDS = 0.25


class TimedConnection(Protocol):
    # When the running statement was sent; 0 without one.
    statement_started: float
    # The time limit for its answer.
    response_seconds: float

    def is_closed(self) -> bool: ...

    def abort_unresponsive(self) -> None: ...


class StatementTimeouts:
    def __init__(self) -> None:
        self._connections: set[TimedConnection] = set()
        self._expected = 0.0
        self._was_late = False

    def add(self, connection: TimedConnection) -> None:
        if not self._connections:
            self._arm()
        self._connections.add(connection)

    def _arm(self) -> None:
        self._expected = time.monotonic() + CHECK_SECONDS
        asyncio.get_running_loop().call_later(CHECK_SECONDS, self._check)

    def _check(self) -> None:
        now = time.monotonic()
        # If this process was suspended, answers may be waiting to be read: check again.
        self._was_late = not self._was_late and now - self._expected > CHECK_SECONDS
        if not self._was_late:
            for connection in list(self._connections):
                if (
                    connection.statement_started
                    and now - connection.statement_started > connection.response_seconds
                ):
                    connection.abort_unresponsive()
        self._connections = {each for each in self._connections if not each.is_closed()}
        if self._connections:
            self._arm()


_watches: "WeakKeyDictionary[asyncio.AbstractEventLoop, StatementTimeouts]" = WeakKeyDictionary()


def watch_timeouts(connection: TimedConnection) -> None:
    """As long as the connection is open."""
    _watches.setdefault(asyncio.get_running_loop(), StatementTimeouts()).add(connection)
