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
    connections, and what is in flight is answered."""

    drain_seconds: float
    answer_seconds: float


async def serve(
    app: App, listener: socket.socket, stop: StopEvent, config: ServerConfig, times: ShutdownTimes
) -> None:
    """Until `stop` is set, and as long after that as it takes to let go of callers."""
    loop = asyncio.get_running_loop()
    connections = Connections(config)
    server = await loop.create_server(
        lambda: HttpConnection(app, connections, loop), sock=listener, backlog=BACKLOG
    )
    sweeper = asyncio.create_task(connections.sweep())
    try:
        await stop.wait()
        connections.draining = True
        if stop.mode is StopMode.DRAIN:
            await asyncio.sleep(times.drain_seconds)
        server.close()
        if stop.mode is StopMode.HAND_OVER:
            await connections.wait_closed(times.drain_seconds)
        await connections.drain(times.answer_seconds)
    finally:
        sweeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sweeper
        server.close()
