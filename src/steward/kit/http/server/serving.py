"""Serves an application in this process and event loop until it is told to stop, and then lets go of callers gently."""

import asyncio
import contextlib
import socket

from steward.kit.http.server.config import BACKLOG, ServerConfig
from steward.kit.http.server.connection import App, Connection
from steward.kit.http.server.connections import Connections


def listen(host: str, port: int) -> socket.socket:
    """A socket that several processes may share the port of."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


async def serve(
    app: App,
    listener: socket.socket,
    stop: asyncio.Event,
    config: ServerConfig,
    *,
    drain_seconds: float,
    shutdown_seconds: float,
) -> None:
    """Until `stop` is set, and then in order: every answer is its connection's last, for `drain_seconds`, so that callers
    move on by themselves; no new connections; what is in flight is answered within `shutdown_seconds`."""
    loop = asyncio.get_running_loop()
    connections = Connections(config)
    server = await loop.create_server(
        lambda: Connection(app, connections, loop), sock=listener, backlog=BACKLOG
    )
    sweeper = asyncio.create_task(connections.sweep())
    try:
        await stop.wait()
        connections.draining = True
        await connections.until_told(drain_seconds)
        server.close()
        await connections.drain(shutdown_seconds)
    finally:
        sweeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sweeper
        server.close()
