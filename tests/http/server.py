"""A server in the test's own event loop, with patience short enough to be waited for."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

from tests.support.waiting import limit

from steward.kit.domain.problems import Problem
from steward.kit.http.server.config import ServerConfig
from steward.kit.http.server.exchange import Exchange
from steward.kit.http.server.http_connection import App
from steward.kit.http.server.server import ShutdownTimes, serve
from steward.kit.runtime.stop_event import StopEvent, StopMode

JSON = [("content-type", "application/json")]


class Peer:
    """Somebody at the other end who decides about every byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        with contextlib.suppress(ConnectionError):
            await self.writer.drain()

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        """The next answer with a length."""
        async with asyncio.timeout(limit(60)):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.split(": ", 1) for line in head[1:] if line)
            body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return int(head[0].split()[1]), headers, body

    async def rest(self) -> bytes:
        """All until the server ends the connection; a reset ends it, too."""
        async with asyncio.timeout(limit(60)):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""

    def close(self) -> None:
        self.writer.close()


class Running:
    def __init__(self, port: int, stop: StopEvent, task: "asyncio.Task[None]") -> None:
        self.port = port
        self.stop = stop
        self.task = task
        self._peers: list[Peer] = []

    async def connect(self, address: str = "127.0.0.1", **more: object) -> Peer:
        peer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0), **more)  # type: ignore[arg-type]
        self._peers.append(Peer(*peer))
        return self._peers[-1]

    def close_peers(self) -> None:
        for peer in self._peers:
            peer.close()


@contextlib.asynccontextmanager
async def running(
    app: App, *, drain_seconds: float = 0, last_seconds: float = 0, **config: float
) -> AsyncIterator[Running]:
    settings = ServerConfig(**{"sweep_seconds": 0.02, **config})  # type: ignore[arg-type]
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    listener.setblocking(False)
    stop = StopEvent()
    times = ShutdownTimes(drain_seconds, answer_seconds=limit(30), last_seconds=last_seconds)
    serving = serve(app, listener, stop, settings, times)
    task = asyncio.create_task(serving)
    server = Running(listener.getsockname()[1], stop, task)
    try:
        yield server
    finally:
        server.close_peers()
        stop.request(StopMode.IMMEDIATE)
        await task


async def echo(exchange: Exchange) -> None:
    """The length of the body that came, or the status of what was wrong with it."""
    try:
        body = await exchange.body()
    except Problem as problem:
        exchange.respond(problem.status, JSON, problem.message.encode())
    else:
        exchange.respond(200, JSON, f"{exchange.method} {exchange.path} {len(body)}".encode())
