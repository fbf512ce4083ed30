"""The least HTTP server that serves: the service's parser and event loop, no bounds, no deadlines, no order of answers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

import httptools

# Path and body in, status and JSON out.
BareHandler = Callable[[str, bytes], Awaitable[tuple[int, bytes]]]

_HEAD = b"HTTP/1.1 %d OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


class BareConnection(asyncio.Protocol):
    def __init__(self, handler: BareHandler) -> None:
        self._handler = handler
        self._parser = httptools.HttpRequestParser(self)
        self._path = ""
        self._body = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_begin(self) -> None:
        self._path, self._body = "", b""

    def on_url(self, url: bytes) -> None:
        self._path += url.decode()

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        self._task = asyncio.create_task(self._answer(self._path, self._body))

    async def _answer(self, path: str, body: bytes) -> None:
        try:
            status, answer = await self._handler(path, body)
        except Exception:  # noqa: BLE001 (not one of the scenario's requests; its answer is a sign of life)
            status, answer = 404, b"{}"
        if not self._transport.is_closing():
            self._transport.write(_HEAD % (status, len(answer)) + answer)
