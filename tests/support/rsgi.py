"""Calls an application of ours without a server, the way Granian would."""

from types import SimpleNamespace
from typing import Any

import httpx


class Headers:
    """Request headers as Granian hands them over: by name, each name with all of its lines."""

    def __init__(self, lines: list[tuple[str, str]]) -> None:
        self._lines = lines

    def items(self) -> list[tuple[str, str]]:
        return self._lines

    def keys(self) -> list[str]:
        return list(dict(self._lines))

    def __len__(self) -> int:
        return len(self.keys())

    def get_all(self, name: str) -> list[str]:
        return [value for other, value in self._lines if other == name]


class _Protocol:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self.answer = httpx.Response(500)

    async def __call__(self) -> bytes:
        return self._body

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.answer = httpx.Response(status, headers=headers, content=body)

    def response_empty(self, status: int, headers: list[tuple[str, str]]) -> None:
        self.answer = httpx.Response(status, headers=headers)


class RsgiTransport(httpx.AsyncBaseTransport):
    def __init__(self, app: Any) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        scope = SimpleNamespace(
            method=request.method,
            path=request.url.path,
            query_string=request.url.query.decode(),
            scheme=request.url.scheme,
            client="127.0.0.1:1234",
            headers=Headers([(name.lower(), value) for name, value in request.headers.items()]),
        )
        protocol = _Protocol(await request.aread())
        await self._app(scope, protocol)
        return protocol.answer
