"""Serves an application in this process and event loop until it is told to stop, and then lets go of callers gently."""

import asyncio
import contextlib
import socket

import msgspec

from steward.kit.http.server.config import BACKLOG, ServerConfig
from steward.kit.http.server.connections import Connections
from steward.kit.http.server.http_connection import App, HttpConnection
from steward.kit.runtime.stop_event import StopEvent, StopMode


class ShutdownTimes(msgspec.Struct, frozen=True):
    """In order: every answer is its connection's last, so that callers move on by themselves; then there are no new
    connections, those who came last get their answer, and what is in flight is answered."""

    drain_seconds: float
    answer_seconds: float
    # Whoever came last has sent a request, or is about to; closed at once, they would be reset.
    last_seconds: float = 1.0


async def serve(
    app: App, listener: socket.socket, stop: StopEvent, config: ServerConfig, times: ShutdownTimes
) -> None:
    """Until `stop` is set, and as long after that as it takes to let go of callers."""
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
    """Whoever has connected already: closing the door would reset them, and a proxy may not send their request a second time."""
    found: list[socket.socket] = []
    listener.setblocking(False)
    # Nobody waits any more, or there is no room for them.
    with contextlib.suppress(OSError):
        while len(found) < BACKLOG:
            found.append(listener.accept()[0])
    for connection in found:
        connection.setblocking(False)
    return found
