"""Serves an application in this process and event loop until it should stop, then drains connections."""

import asyncio
import contextlib
import socket

import msgspec

from steward.kit.http.server.config import BACKLOG, ServerConfig
from steward.kit.http.server.connections import Connections
from steward.kit.http.server.http_connection import App, HttpConnection
from steward.kit.runtime.stop_event import StopEvent, StopMode


class ShutdownTimes(msgspec.Struct, frozen=True):
    """The steps of a drain: every answer ends its connection, so that callers reconnect elsewhere; then no
    new connections, the latest ones get their answer, and requests in flight finish.
    """

    drain_seconds: float
    answer_seconds: float
    # The latest callers have sent a request, or are about to; closing at once would reset them.
    last_seconds: float = 1.0


async def serve(
    app: App, listener: socket.socket, stop: StopEvent, config: ServerConfig, times: ShutdownTimes
) -> None:
    """Runs until `stop` is set and connections are drained."""
    loop = asyncio.get_running_loop()
    connections = Connections(config)

    def new_connection() -> HttpConnection:
        return HttpConnection(app, connections, loop)

    server = await loop.create_server(new_connection, sock=listener, backlog=BACKLOG)
    sweeper = asyncio.create_task(connections.sweep())
    try:
        await stop.wait()
        connections.draining = True
        if stop.mode is StopMode.DRAIN and times.drain_seconds:
            await asyncio.sleep(times.drain_seconds)
            last = _accept_waiting(listener)
            server.close()
            for connection in last:
                await loop.connect_accepted_socket(new_connection, connection)
            await connections.wait_closed(times.last_seconds)
        server.close()
        if stop.mode is StopMode.HAND_OVER:
            await connections.wait_closed(times.drain_seconds)
        await connections.drain(times.answer_seconds)
    finally:
        sweeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sweeper
        server.close()


def _accept_waiting(listener: socket.socket) -> list[socket.socket]:
    """Accepts connections that the kernel has completed already: closing the listener would reset them, and a
    proxy may not send their request again.
    """
    found: list[socket.socket] = []
    listener.setblocking(False)
    # None is waiting any more, or there is no capacity.
    with contextlib.suppress(OSError):
        while len(found) < BACKLOG:
            found.append(listener.accept()[0])
    for connection in found:
        connection.setblocking(False)
    return found
