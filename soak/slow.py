"""Clients that hold on: sockets that say nothing, or little, or read nothing."""

import asyncio
import itertools
import socket
from contextlib import suppress

_ADDRESSES = tuple(f"127.0.1.{number}" for number in range(1, 9))


class SlowClients:
    """Many of each kind, from a few addresses; `held` counts those that got a connection."""

    def __init__(self, port: int, export: bytes) -> None:
        self._port = port
        self._export = export
        self._sockets: list[socket.socket] = []
        self._addresses = itertools.cycle(_ADDRESSES)
        self.held = 0

    async def hold(self, count: int, seconds: float) -> None:
        beginnings = (
            b"",
            b"GET /health/live HTTP/1.1\r\nHost: steward\r\nX-",
            (
                b"POST /authentications/tokens HTTP/1.1\r\nHost: steward\r\nContent-Type: application/json\r\n"
                b'Content-Length: 60000\r\n\r\n{"account": "'
            ),
            (
                b"POST /authentications/tokens HTTP/1.1\r\nHost: steward\r\nContent-Type: application/json\r\n"
                b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"acc\r\n'
            ),
        )
        try:
            for number in range(count):
                # Those who ask for a whole export and then read nothing of it cost most; few are enough.
                said = self._export if number % 50 == 0 else beginnings[number % len(beginnings)]
                await self._open(said, small=number % 50 == 0)
            await self._drip(seconds)
        finally:
            for one in self._sockets:
                one.close()
            self._sockets.clear()

    async def _open(self, said: bytes, *, small: bool) -> None:
        one = socket.socket()
        one.setblocking(False)
        if small:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._sockets.append(one)
        loop = asyncio.get_running_loop()
        with suppress(OSError, TimeoutError):
            one.bind((next(self._addresses), 0))
            await asyncio.wait_for(loop.sock_connect(one, ("127.0.0.1", self._port)), 1)
            if said:
                await asyncio.wait_for(loop.sock_sendall(one, said), 1)
            self.held += 1

    async def _drip(self, seconds: float) -> None:
        """A byte a second, where there is something to go on with."""
        for _ in range(max(1, int(seconds))):
            await asyncio.sleep(1)
            for number, one in enumerate(self._sockets):
                if number % 50 and number % 4:
                    with suppress(OSError):
                        one.send(b"x")
