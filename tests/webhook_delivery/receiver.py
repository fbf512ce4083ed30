"""Receivers of webhooks: a well-behaved one that remembers everything, and raw ones that behave badly."""

import asyncio
import contextlib
import re
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple

from aiohttp import web
from tests.support.waiting import limit

Respond = Callable[["Received"], Awaitable[web.StreamResponse]]


class Received(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event_id(self) -> str:
        return self.headers["webhook-id"]


async def ok(_received: Received) -> web.StreamResponse:
    return web.Response(text="thanks")


def status(code: int, **headers: str) -> Respond:
    async def respond(_received: Received) -> web.StreamResponse:
        return web.Response(
            status=code, text="no", headers={k.replace("_", "-"): v for k, v in headers.items()}
        )

    return respond


class Receiver:
    """Listens on a port of the loopback; each path may answer in its own way."""

    def __init__(self) -> None:
        self.got: list[Received] = []
        self.answers: dict[str, Respond] = {}
        self.under_way: Counter[str] = Counter()
        self.most_under_way: Counter[str] = Counter()
        self._news = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator["Receiver"]:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._on_request)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def _on_request(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Received(request.path, headers, await request.read())
        self.under_way[request.path] += 1
        self.most_under_way[request.path] = max(
            self.most_under_way[request.path], self.under_way[request.path]
        )
        async with self._news:
            self.got.append(received)
            self._news.notify_all()
        try:
            return await self.answers.get(request.path, ok)(received)
        finally:
            self.under_way[request.path] -= 1

    async def until(self, condition: Callable[[list[Received]], object], seconds: float = 60) -> None:
        """Until what was received fulfils the condition; judged with each arrival, so that none passes unseen."""
        try:
            async with asyncio.timeout(limit(seconds)), self._news:
                await self._news.wait_for(lambda: condition(self.got))
        except TimeoutError as error:
            arrived = Counter(received.path for received in self.got)
            raise AssertionError(
                f"it did not arrive within {limit(seconds):g} s; arrived: {dict(arrived)}, under way: {dict(self.under_way)}"
            ) from error

    def at(self, path: str) -> list[Received]:
        return [received for received in self.got if received.path == path]


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def raw_server(talk: Talk, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Reads a request, then says whatever it likes; yields its port."""
    talking: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talking.add(task := asyncio.current_task())  # type: ignore[arg-type]
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                head = await reader.readuntil(b"\r\n\r\n")
                # With unread bytes left, the end of a connection is a reset, which overtakes the answer.
                length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
                await reader.readexactly(int(length[1]) if length else 0)
                await talk(reader, writer)
            writer.close()
            with contextlib.suppress(ConnectionError, TimeoutError, ssl.SSLError):
                # Everything is sent by then; some never answer to the end of a connection.
                await asyncio.wait_for(writer.wait_closed(), limit(1))
        finally:
            writer.transport.abort()
            talking.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in talking:
            task.cancel()
        await asyncio.gather(*talking, return_exceptions=True)
        await asyncio.sleep(0)  # transports close in the turn after the call


@contextlib.asynccontextmanager
async def raw_receiver(talk: Talk) -> AsyncIterator[str]:
    async with raw_server(talk) as port:
        yield f"http://127.0.0.1:{port}/"
