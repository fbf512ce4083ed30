"""Runs an application in this process and event loop, and lets it finish what it has begun."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces
from granian.server.embed import Server

from steward.kit.log import log

App = Callable[[Any, Any], Awaitable[None]]

_BACKLOG = 4096


class InFlight:
    """Counts the requests that are being answered."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def __call__(self, scope: Any, protocol: Any) -> None:
        self._count += 1
        self._idle.clear()
        try:
            await self._app(scope, protocol)
        finally:
            self._count -= 1
            if self._count == 0:
                self._idle.set()

    async def drained(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._idle.wait(), seconds)
        except TimeoutError:
            log.warning("requests were cut off", in_flight=self._count, after_seconds=seconds)


class _OverListener(Server):
    """Accepts from a socket that listens already, instead of opening one."""

    listener: socket.socket

    def _init_shared_socket(self) -> None:
        holder: Any = SocketHolder
        self._shd: Any = holder(self.listener.fileno(), False, _BACKLOG)
        self._sfd: Any = self.listener.fileno()
        self._ssp: Any = None


async def serve(app: App, listener: socket.socket, stop: asyncio.Event, drain_seconds: float) -> None:
    """Until `stop` is set; then no new connections, and requests in flight are answered."""
    in_flight = InFlight(app)
    server = _OverListener(
        in_flight,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        websockets=False,
        backlog=_BACKLOG,
        log_enabled=False,
    )
    server.listener = listener
    serving = asyncio.create_task(server.serve())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        stopping.cancel()
        serving.result()
        return
    # The server closes its connections on stopping, so what is in flight goes first.
    await in_flight.drained(drain_seconds)
    server.stop()  # type: ignore[no-untyped-call]
    await serving
