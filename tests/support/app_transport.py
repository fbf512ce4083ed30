"""Calls an application of ours without a server or a socket."""

from collections.abc import AsyncGenerator

import httpx

from steward.kit.http.response import Headers
from steward.kit.http.server.exchange import Exchange
from steward.kit.http.server.http_connection import App


class _Channel:
    def __init__(self) -> None:
        self.answer = httpx.Response(500)

    def reserve_memory(self, _size: int) -> bool:
        return True

    def await_body(self, exchange: Exchange) -> None:
        raise AssertionError("the body is here already")

    def respond(self, exchange: Exchange, status: int, headers: Headers, body: bytes) -> None:
        self.answer = httpx.Response(status, headers=headers, content=body)

    async def stream(
        self, exchange: Exchange, status: int, headers: Headers, chunks: AsyncGenerator[bytes]
    ) -> None:
        content = b"".join([chunk async for chunk in chunks])
        self.answer = httpx.Response(status, headers=headers, content=content)


def exchange(
    channel: _Channel | None = None,
    *,
    method: str = "GET",
    path: str = "/",
    query_string: str = "",
    headers: dict[str, str] | None = None,
    body: bytes = b"",
    peer: str = "127.0.0.1",
) -> Exchange:
    """A request that has come in whole."""
    made = Exchange(
        channel or _Channel(),
        method=method,
        path=path,
        query_string=query_string,
        version="1.1",
        headers=headers or {},
        peer=peer,
        keep_alive=True,
    )
    if body:
        made.receive(body)
    made.end()
    return made


class AppTransport(httpx.AsyncBaseTransport):
    def __init__(self, app: App) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        channel = _Channel()
        await self._app(
            exchange(
                channel,
                method=request.method,
                path=request.url.path,
                query_string=request.url.query.decode(),
                headers={name.lower(): value for name, value in request.headers.items()},
                body=await request.aread(),
            )
        )
        return channel.answer
