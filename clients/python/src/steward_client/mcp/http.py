"""The protocol over HTTP: every caller with a key of their own, none with the server's."""

import asyncio
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from steward_client.mcp.api import Caller
from steward_client.mcp.server import Context

PATH = "/mcp"
ORGANIZATION_HEADER = "X-Steward-Org"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 (told apart, not bound)
# What is under way may be finished; a caller who never sends the rest of a request doesn't hold the server up.
_FINISH_SECONDS = 5
_NO_KEY = "Send an API key of Steward in X-API-Key, or as `Authorization: Bearer`."
_ONLY_POST = "Nothing is sent here but answers: speak to it by POST."
_NO_ORGANIZATION = f"Say which organization: send its id in {ORGANIZATION_HEADER}."


class RequireKey:
    """Refuses what comes without a key, or can't be answered, before anything looks at it."""

    def __init__(self, app: ASGIApp, organization: str | None) -> None:
        self._app = app
        self._organization = organization

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if not key_in(headers):
                refusal = JSONResponse({"error": _NO_KEY}, 401, {"WWW-Authenticate": "Bearer"})
                return await refusal(scope, receive, send)
            if not (headers.get(ORGANIZATION_HEADER) or self._organization):
                return await JSONResponse({"error": _NO_ORGANIZATION}, 400)(scope, receive, send)
            if scope["path"] == PATH and scope["method"] != "POST":
                # A GET asks for a stream of what a session has to tell. There are none, so that it would stay open and silent.
                return await JSONResponse({"error": _ONLY_POST}, 405, {"Allow": "POST"})(scope, receive, send)
        return await self._app(scope, receive, send)


def key_in(headers: Headers) -> str:
    """The caller's key, or nothing; as with the service itself, X-API-Key wins."""
    scheme, _, value = headers.get("Authorization", "").partition(" ")
    key = headers.get("X-API-Key", "").strip() or (value.strip() if scheme.lower() == "bearer" else "")
    return key if key.isascii() else ""


def caller_in(context: Context, organization: str | None) -> Caller:
    """Who sent the request that is being answered."""
    request = context.request
    if request is None:
        raise RuntimeError("over HTTP every message comes with its request")
    headers: Headers = request.headers
    return Caller(
        api_key=key_in(headers),
        organization=headers.get(ORGANIZATION_HEADER) or organization or "",
        address=request.client.host if request.client else None,
    )


def application(
    server: Server[Any], *, host: str, allowed_hosts: Sequence[str], organization: str | None
) -> ASGIApp:
    """Without sessions: each request carries its key, so none can go on with what another began."""
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        transport_security=_security(host, allowed_hosts),
    )
    return RequireKey(inner, organization)


def _security(host: str, allowed_hosts: Sequence[str]) -> TransportSecuritySettings:
    """Against web pages that make a browser speak to us: only names that we know, and pages that come from them."""
    own = () if host in _WILDCARDS else (f"[{host}]" if ":" in host else host,)
    names = tuple(dict.fromkeys((*_LOOPBACK, *own, *allowed_hosts)))
    return TransportSecuritySettings(
        allowed_hosts=[entry for name in names for entry in (name, f"{name}:*")],
        allowed_origins=[
            f"{scheme}://{entry}"
            for name in names
            for scheme in ("http", "https")
            for entry in (name, f"{name}:*")
        ],
    )


def listening(host: str, port: int) -> socket.socket:
    """Raises OSError."""
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


class _Quiet(uvicorn.Server):
    """Ends on SIGINT and SIGTERM as on a wish, not as if killed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._end)
        yield

    def _end(self) -> None:
        """A client that repeats a request doesn't wait for the first one."""
        self.force_exit = self.should_exit
        self.should_exit = True


async def serve(app: ASGIApp, listener: socket.socket) -> None:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_FINISH_SECONDS,
    )
    await _Quiet(config).serve(sockets=[listener])
