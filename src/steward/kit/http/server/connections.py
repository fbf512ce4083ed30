"""All open connections of a process: admits, evicts and drains them.

A connection that hasn't sent a whole request is waiting: it costs little, and closing it breaks no promise.
At capacity, the one that has waited longest is closed, first among those of the same address.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from steward.kit.domain.problems import Problem, TooManyRequests, Unavailable
from steward.kit.http.server.config import ServerConfig
from steward.kit.runtime.log import log
from steward.kit.runtime.metrics import CONNECTIONS, CONNECTIONS_CLOSED
from steward.kit.security.client_address import address_key, is_within

_SHED_LOG_SECONDS = 60


class OpenConnection(Protocol):
    """What this module knows of a connection."""

    peer: str
    deadline: float

    def expire(self, now: float) -> None: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...


class _Peer:
    __slots__ = ("count", "waiting")

    def __init__(self) -> None:
        self.count = 0
        self.waiting: dict[OpenConnection, None] = {}


class Connections:
    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        # Whether answers say `Connection: close`.
        self.draining = False
        self._peers: dict[str, _Peer] = {}
        self._open: dict[OpenConnection, _Peer] = {}
        # The longest waiting first.
        self._waiting: dict[OpenConnection, None] = {}
        self._in_flight = 0
        self._body_bytes = 0
        self._changed = asyncio.Event()
        self._shed_logged_at = -float(_SHED_LOG_SECONDS)

    def admit(self, connection: OpenConnection) -> Problem | None:
        """Counts the connection and returns None, or says why there is no capacity for it."""
        address = address_key(connection.peer)
        peer = self._peers.get(address) or _Peer()
        bounded = peer.count >= self.config.connections_per_address and not is_within(
            connection.peer, self.config.trusted_proxies
        )
        if bounded and not self._shed(peer.waiting):
            CONNECTIONS_CLOSED.labels("refused").inc()
            return TooManyRequests("too many connections from this address.", retry_after=1)
        if len(self._open) >= self.config.connections and not self._shed(self._waiting):
            CONNECTIONS_CLOSED.labels("refused").inc()
            return Unavailable("Too many connections.")
        self._peers[address] = peer
        peer.count += 1
        self._open[connection] = peer
        CONNECTIONS.inc()
        self.mark_waiting(connection)
        return None

    def remove(self, connection: OpenConnection) -> None:
        peer = self._open.pop(connection, None)
        if peer is None:
            return
        peer.count -= 1
        peer.waiting.pop(connection, None)
        self._waiting.pop(connection, None)
        if not peer.count:
            del self._peers[address_key(connection.peer)]
        CONNECTIONS.dec()
        self._changed.set()

    def mark_waiting(self, connection: OpenConnection) -> None:
        """It has its answer, or is new."""
        peer = self._open.get(connection)
        if peer is not None:
            peer.waiting[connection] = self._waiting[connection] = None

    def mark_active(self, connection: OpenConnection) -> None:
        """It has sent a whole request."""
        peer = self._open.get(connection)
        if peer is not None:
            peer.waiting.pop(connection, None)
            self._waiting.pop(connection, None)

    def reserve_memory(self, size: int) -> bool:
        """Reserves memory for a body; all bodies together have a bound too."""
        self._body_bytes += size
        return self._body_bytes <= self.config.body_memory

    def release_memory(self, size: int) -> None:
        self._body_bytes -= size

    def request_started(self) -> None:
        self._in_flight += 1

    def request_finished(self) -> None:
        self._in_flight -= 1
        if not self._in_flight:
            self._changed.set()

    async def sweep(self) -> None:
        """One pass over all deadlines costs less than a timer for each."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self.config.sweep_seconds)
            now = loop.time()
            for connection in [each for each in self._open if each.deadline < now]:
                connection.expire(now)

    async def wait_closed(self, seconds: float) -> None:
        """Waits until every connection has had its last answer, or is gone."""
        await self._wait_until(lambda: not self._open, seconds)

    async def drain(self, seconds: float) -> None:
        """Stops reading; running requests still get their answers."""
        deadline = time.monotonic() + seconds
        for connection in list(self._waiting):
            connection.close()
        if not await self._wait_until(lambda: not self._in_flight, seconds):
            log.warning("requests were cut off", in_flight=self._in_flight, after_seconds=seconds)
        for connection in list(self._open):
            connection.close()
        await self._wait_until(lambda: not self._open, min(2.0, max(0.0, deadline - time.monotonic())))
        for connection in list(self._open):
            connection.abort()

    async def _wait_until(self, condition: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not condition():
            self._changed.clear()
            try:
                async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                    await self._changed.wait()
            except TimeoutError:
                return condition()
        return True

    def _shed(self, waiting: dict[OpenConnection, None]) -> bool:
        longest = next(iter(waiting), None)
        if longest is None:
            return False
        self.remove(longest)
        longest.abort()
        CONNECTIONS_CLOSED.labels("shed").inc()
        now = time.monotonic()
        if now - self._shed_logged_at >= _SHED_LOG_SECONDS:
            self._shed_logged_at = now
            log.warning("no room for more connections: closing those that wait longest", open=len(self._open))
        return True
