"""Every state of a connection has a deadline: whatever a caller does or leaves undone, the connection ends."""

from collections.abc import AsyncGenerator

import pytest
from prometheus_client import REGISTRY
from tests.http.server import echo, running
from tests.support.waiting import wait_for_async

from steward.kit.http.server.exchange import Exchange

GET = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: h\r\n"
_LARGE = 32 * 1024 * 1024
_SHORT = dict.fromkeys(
    ("head_seconds", "idle_seconds", "body_seconds", "stall_seconds", "linger_seconds"), 0.2
)


async def _chunks() -> AsyncGenerator[bytes]:
    while True:
        yield b"x" * 65_536


async def _app(exchange: Exchange) -> None:
    if exchange.path == "/large":
        exchange.respond(200, [], b"x" * _LARGE)
    elif exchange.path == "/stream":
        await exchange.stream(200, [], _chunks())
    elif exchange.path == "/live":
        await exchange.stream(200, [], _chunks(), endless=True)
    elif exchange.path == "/unread":
        exchange.respond(200, [], b"the body was not asked for")
    else:
        await echo(exchange)


def _get(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: h", *headers, "", ""]).encode()


# What the caller has sent when it stops doing anything, reading included.
STATES = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHo",
    "an answered request": GET,
    "a request and half a head": GET + b"GET / HT",
    "half a body": POST + b"Content-Length: 10\r\n\r\nhalf",
    "half a body in chunks": POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nha",
    "a head that asks before it sends": POST + b"Expect: 100-continue\r\nContent-Length: 10\r\n\r\n",
    "a head that wants another protocol": POST
    + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 9\r\n\r\n",
    "half a body that nobody asked for": b"POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: 99\r\n\r\nhalf",
    "what is refused": b"rubbish\r\n\r\n",
    "a body that is too large": POST + b"Content-Length: 3000000\r\n\r\n" + b"x" * 1_200_000,
    "the last request": _get("/", "Connection: close"),
    "a request for much": _get("/large"),
    "a last request for much": _get("/large", "Connection: close"),
    "requests for much": _get("/large") * 3,
    "a request for a stream": _get("/stream"),
    "a request for a stream, and one more": _get("/stream") + GET,
    "a request for a stream, and half a head": _get("/stream") + b"GET",
    "a request for a stream, and rubbish": _get("/stream") + b"rubbish\r\n\r\n",
    "a request for a live stream": _get("/live"),
}


def _open() -> float:
    return REGISTRY.get_sample_value("steward_connections") or 0


@pytest.mark.parametrize("has_said_all", [False, True], ids=["goes on", "has said all"])
@pytest.mark.parametrize("state", STATES)
async def test_a_connection_ends(state: str, has_said_all: bool) -> None:
    before = _open()
    async with running(_app, **_SHORT) as server:
        peer = await server.connect(limit=1024)
        await wait_for_async("the connection", lambda: _open() > before)
        peer.writer.write(STATES[state])
        if has_said_all:
            peer.writer.write_eof()
        await wait_for_async("its end", lambda: _open() == before)
