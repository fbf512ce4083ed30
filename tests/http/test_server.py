"""What the server makes of bytes."""

import asyncio
import contextlib
import json

import pytest
from tests.http.server import Running, echo, running

from steward.kit.http.server.exchange import Exchange
from steward.kit.runtime.stop_event import StopMode

GET = b"GET /one?q=1 HTTP/1.1\r\nHost: here\r\n\r\n"


async def ask(server: Running, *pieces: bytes) -> tuple[int, dict[str, str], bytes]:
    peer = await server.connect()
    for piece in pieces:
        await peer.send(piece)
    return await peer.answer()


async def test_a_connection_answers_pipelined_requests_in_order() -> None:
    async with running(echo) as server:
        peer = await server.connect()
        for _ in range(3):
            await peer.send(GET)
            status, headers, body = await peer.answer()
            assert (status, body) == (200, b"GET /one 0")
            assert "connection" not in headers


async def test_requests_in_one_packet_are_answered_in_their_order() -> None:
    async with running(echo) as server:
        peer = await server.connect()
        posts = [
            b"POST /%d HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s" % (n, n, b"x" * n)
            for n in range(9)
        ]
        await peer.send(b"".join(posts))
        assert [(await peer.answer())[2] for _ in posts] == [b"POST /%d %d" % (n, n) for n in range(9)]


async def test_requests_beyond_the_pipelining_limit_end_the_connection_after_the_answers() -> None:
    async with running(echo, pipelined=3) as server:
        peer = await server.connect()
        await peer.send(b"".join(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % number for number in range(10)))
        answers = [await peer.answer() for _ in range(4)]
        assert await peer.rest() == b""
    assert [headers.get("connection") for _, headers, _ in answers] == [None, None, None, "close"]


async def test_a_body_may_come_byte_by_byte_and_in_chunks() -> None:
    async with running(echo) as server:
        pieces = [
            b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"1\r",
            b"\nx\r\n",
            b"0\r\n\r\n",
        ]
        assert (await ask(server, *pieces))[2] == b"POST / 1"


async def test_a_sender_that_expects_continue_gets_it() -> None:
    async with running(echo) as server:
        peer = await server.connect()
        await peer.send(b"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert (await peer.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
        await peer.send(b"ab")
        assert (await peer.answer())[2] == b"POST / 2"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (b"/a%20b", b"/a b"),
        (b"http://here/x?y=1", b"/x"),
        (b"http://here", b"/"),
        (b"*", b"*"),
        (b"/a#b", b"/a"),
    ],
)
async def test_targets(target: bytes, path: bytes) -> None:
    async with running(echo) as server:
        request = b"OPTIONS %s HTTP/1.1\r\nHost: h\r\n\r\n" % target
        assert (await ask(server, request))[2] == b"OPTIONS %s 0" % path


async def test_lines_of_one_header_are_one_list() -> None:
    async def app(exchange: Exchange) -> None:
        found = [exchange.headers.get(name, "") for name in ("x-forwarded-for", "cookie", "x-bad")]
        exchange.respond(200, [], "|".join(found).encode())

    async with running(app) as server:
        lines = b"X-Forwarded-For: a\r\nx-forwarded-for: b\r\nCookie: c=1\r\nCookie: d=2\r\nX-Bad: \xff\r\n"
        answer = await ask(server, b"GET / HTTP/1.1\r\nHost: h\r\n" + lines + b"\r\n")
        assert answer[2].decode() == "a, b|c=1; d=2|\ufffd"


async def test_trailers_of_a_chunked_body_are_not_headers() -> None:
    async def app(exchange: Exchange) -> None:
        await exchange.body()
        exchange.respond(200, [], exchange.headers.get("x-api-key", "none").encode())

    async with running(app) as server:
        head = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert (await ask(server, head + b"0\r\nX-API-Key: stolen\r\n\r\n"))[2] == b"none"


_POST = b"POST / HTTP/1.1\r\nHost: h\r\n"
_BAD_HOSTS = (
    b"[::1",
    b"::1",
    b"[]",
    b"[::1::2]",
    b"[v1.a]",
    b"a:b:c",
    b"a:b",
    b"a:123456",
    b"a:65536",
    b"a%00",
    b"%",
    b"..",
    b"a..b",
    b".a",
    b":80",
)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
        *((b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n", 400) for host in _BAD_HOSTS),
        (b"GET / HTTP/2.7\r\nHost: h\r\n\r\n", 400),
        (b"NONSENSE / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (_POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
        (_POST + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (_POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
        (_POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (_POST + b"Content-Length: -1\r\n\r\n", 400),
        (_POST + b"Bad Name: 1\r\n\r\n", 400),
        (_POST + b"X: a\x00b\r\n\r\n", 400),
        (_POST + b"X: a\r\n folded\r\n\r\n", 400),
        (b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 414),
        (b"GET /?" + b"a" * 17_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 414),
        (_POST + b"X: " + b"a" * 40_000 + b"\r\n\r\n", 431),
        (_POST + b"".join(b"X%d: 1\r\n" % n for n in range(200)) + b"\r\n", 431),
    ],
)
async def test_ambiguous_requests_are_refused_and_close_the_connection(
    request_bytes: bytes, status: int
) -> None:
    async with running(echo) as server:
        peer = await server.connect()
        await peer.send(request_bytes)
        found, headers, body = await peer.answer()
        assert found == status, body
        # The broken chunk is part of a request by then, and the application of this test answers that.
        if not request_bytes.endswith(b"zz\r\n"):
            told = json.loads(body)
            assert told.keys() == {"error", "message", "requestId"}
            assert told["requestId"] == headers["x-request-id"]
        assert headers["connection"] == "close"
        assert await peer.rest() == b""


async def test_requests_before_a_bad_one_are_still_answered() -> None:
    async with running(echo) as server:
        peer = await server.connect()
        await peer.send(GET + GET + b"rubbish\r\n\r\n")
        assert [(await peer.answer())[0] for _ in range(3)] == [200, 200, 400]


async def test_a_smuggled_request_is_not_processed() -> None:
    """What follows an ambiguous request must never be read as a request of its own."""
    async with running(echo) as server:
        peer = await server.connect()
        await peer.send(_POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + GET)
        assert (await peer.answer())[0] == 400
        assert await peer.rest() == b""


@pytest.mark.parametrize("host", [b"h", b"h:80", b"a.example.", b"127.0.0.1:8000", b"[::1]", b"[::1]:8000"])
async def test_hosts(host: bytes) -> None:
    async with running(echo) as server:
        assert (await ask(server, b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"))[0] == 200


# As curl asks for HTTP/2, and a browser for a WebSocket.
_UPGRADES = (
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n",
)


@pytest.mark.parametrize("upgrade", _UPGRADES)
@pytest.mark.parametrize(
    "body",
    [
        b"Content-Length: 5\r\n\r\nhello",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
    ],
)
async def test_upgrade_requests_are_answered_over_http_1(upgrade: bytes, body: bytes) -> None:
    request = _POST + upgrade + body
    async with running(echo) as server:
        peer = await server.connect()
        # In one packet, in two, and byte by byte; with others behind it.
        await peer.send(request + GET + request)
        for cut in (len(_POST + upgrade), len(request) - 3):
            await peer.send(request[:cut])
            await peer.send(request[cut:])
        for byte in request:
            await peer.send(bytes([byte]))
        expected = [b"POST / 5", b"GET /one 0", b"POST / 5", b"POST / 5", b"POST / 5", b"POST / 5"]
        assert [(await peer.answer())[2] for _ in expected] == expected


async def test_a_packet_of_requests_for_another_protocol_is_answered() -> None:
    count = 1_100
    async with running(echo, pipelined=count) as server:
        peer = await server.connect()
        await peer.send(GET.replace(b"\r\n\r\n", b"\r\n" + _UPGRADES[1] + b"\r\n") * count)
        for _ in range(count):
            assert (await peer.answer())[0] == 200


async def test_connect_is_refused() -> None:
    async with running(echo) as server:
        peer = await server.connect()
        await peer.send(b"CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n" + GET)
        assert (await peer.answer())[1]["connection"] == "close"
        assert await peer.rest() == b""


@pytest.mark.parametrize("more", [GET, b"rubbish\r\n\r\n", b"\x00"])
async def test_bytes_after_the_last_request_are_not_answered(more: bytes) -> None:
    last = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    async with running(echo) as server:
        for pieces in ([last + more], [last, more]):
            peer = await server.connect()
            for piece in pieces:
                await peer.send(piece)
            status, headers, _ = await peer.answer()
            assert (status, headers["connection"]) == (200, "close")
            assert await peer.rest() == b""


async def test_a_header_of_ours_that_holds_a_line_break_is_never_sent() -> None:
    async def app(exchange: Exchange) -> None:
        exchange.respond(200, [("location", "/x\r\nset-cookie: a=b")], b"")

    async with running(app) as server:
        peer = await server.connect()
        await peer.send(GET)
        assert await peer.rest() == b""


async def test_a_truncated_answer_is_an_error() -> None:
    async def chunks():
        yield b"first"
        raise RuntimeError("the database went away")

    async def app(exchange: Exchange) -> None:
        await exchange.stream(200, [], chunks())

    async with running(app) as server:
        peer = await server.connect()
        await peer.send(GET)
        assert not (await peer.rest()).endswith(b"0\r\n\r\n")


async def test_a_restart_breaks_no_request() -> None:
    """A client with more requests gets `Connection: close` once, and never finds the connection closed."""

    async def app(exchange: Exchange) -> None:
        await asyncio.sleep(0)
        exchange.respond(200, [], b"")

    async with running(app, drain_seconds=5) as server:
        peers = [await server.connect() for _ in range(50)]
        for peer in peers:
            await peer.send(GET)
            assert "connection" not in (await peer.answer())[1]
        server.stop.request(StopMode.HAND_OVER)
        for peer in peers:
            await peer.send(GET)
            status, headers, _ = await peer.answer()
            assert (status, headers["connection"]) == (200, "close")
            assert await peer.rest() == b""
            peer.close()
        await server.task


async def test_connections_in_the_backlog_are_answered_during_shutdown() -> None:
    async with running(echo, drain_seconds=0.05, last_seconds=60) as server:
        last = await server.connect()
        server.stop.request(StopMode.DRAIN)
        with contextlib.suppress(ConnectionRefusedError):
            while True:
                (await server.connect()).close()
        await last.send(GET)
        status, headers, body = await last.answer()
        assert (status, headers["connection"], body) == (200, "close", b"GET /one 0")
        last.close()
        await server.task
