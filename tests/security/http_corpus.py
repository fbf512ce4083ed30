"""Requests as nobody should send them, with what may come of each.

The outcomes follow RFC 9110 and 9112; where these leave a choice, each choice is allowed. `CLOSED` is a connection closed
without an answer.
"""

from typing import NamedTuple

CLOSED = 0
REFUSED = frozenset({400})
REFUSED_OR_CLOSED = frozenset({400, CLOSED})
TOO_LARGE = frozenset({400, 413, 414, 431, CLOSED})
HOST = b"Host: steward.test\r\n"
LIVE = b"GET /health/live HTTP/1.1\r\n" + HOST


class Entry(NamedTuple):
    name: str
    raw: bytes
    allowed: frozenset[int]
    # What can't be read ends the connection: nobody knows where the next request would begin.
    closes: bool = False
    end: bool = False


def _heads() -> list[Entry]:
    ok = frozenset({200})
    return [
        Entry("host missing", b"GET /health/live HTTP/1.1\r\n\r\n", REFUSED),
        Entry("host twice", LIVE + b"Host: other.test\r\n\r\n", REFUSED),
        Entry("host empty", b"GET /health/live HTTP/1.1\r\nHost:\r\n\r\n", frozenset({200, 400})),
        Entry("host with a space", b"GET /health/live HTTP/1.1\r\nHost: a b\r\n\r\n", frozenset({200, 400})),
        Entry("1.0 without host", b"GET /health/live HTTP/1.0\r\n\r\n", ok, closes=True),
        Entry("1.0 with host", b"GET /health/live HTTP/1.0\r\n" + HOST + b"\r\n", ok, closes=True),
        Entry("0.9", b"GET /health/live\r\n", frozenset({400, 505, CLOSED}), closes=True, end=True),
        Entry("2.0", b"GET / HTTP/2.0\r\n" + HOST + b"\r\n", frozenset({400, 404, 505, CLOSED}), closes=True),
        Entry("9.9", b"GET / HTTP/9.9\r\n" + HOST + b"\r\n", frozenset({400, 505, CLOSED}), closes=True),
        Entry(
            "preface of 2",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            frozenset({400, 405, 505, CLOSED}),
            closes=True,
        ),
        Entry("version missing", b"GET / HTTP\r\n" + HOST + b"\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry(
            "two spaces", b"GET  /health/live  HTTP/1.1\r\n" + HOST + b"\r\n", frozenset({200, 400, CLOSED})
        ),
        Entry("tabs", b"GET\t/health/live\tHTTP/1.1\r\n" + HOST + b"\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry("space in front", b" " + LIVE + b"\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry("empty lines in front", b"\r\n\r\n" + LIVE + b"\r\n", frozenset({200, 400, CLOSED})),
        Entry("bare LF", LIVE.replace(b"\r\n", b"\n") + b"\n", frozenset({200, 400, CLOSED})),
        Entry("bare CR", LIVE + b"X: a\rb\r\n\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry("CR at the end", LIVE + b"X: a\r\r\n\r\n", frozenset({200, 400, CLOSED})),
        Entry("NUL in a value", LIVE + b"X: a\0b\r\n\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry("NUL in a name", LIVE + b"X\0Y: a\r\n\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry(
            "NUL in the path",
            b"GET /health\0/live HTTP/1.1\r\n" + HOST + b"\r\n",
            frozenset({400, 404, CLOSED}),
        ),
        Entry("NUL alone", b"\0", REFUSED_OR_CLOSED, closes=True, end=True),
        Entry("folded", LIVE + b"X: a\r\n b\r\n\r\n", frozenset({200, 400, CLOSED})),
        Entry(
            "folded at once", b"GET /health/live HTTP/1.1\r\n Host: a\r\n\r\n", REFUSED_OR_CLOSED, closes=True
        ),
        Entry("space before the colon", LIVE + b"X : a\r\n\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry("no colon", LIVE + b"nonsense\r\n\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry("no name", LIVE + b": a\r\n\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry("name in brackets", LIVE + b"(X): a\r\n\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry("bytes beyond ASCII in a value", LIVE + b"X: \xff\xfe\r\n\r\n", frozenset({200, 400, CLOSED})),
        Entry("bytes beyond ASCII in a name", LIVE + b"\xff: a\r\n\r\n", REFUSED_OR_CLOSED, closes=True),
        Entry("a long URL", b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", TOO_LARGE | {404}),
        Entry(
            "a huge URL",
            b"GET /" + b"a" * 2_000_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
            TOO_LARGE,
            closes=True,
        ),
        Entry("a huge header", LIVE + b"X: " + b"a" * 2_000_000 + b"\r\n\r\n", TOO_LARGE, closes=True),
        Entry("a huge name", LIVE + b"a" * 2_000_000 + b": a\r\n\r\n", TOO_LARGE, closes=True),
        Entry("very many headers", LIVE + b"X: a\r\n" * 10_000 + b"\r\n", TOO_LARGE, closes=True),
        Entry("a head without end", LIVE + b"X: a\r\n" * 100_000, TOO_LARGE | {408}, closes=True, end=True),
        Entry("random bytes", bytes(range(256)) * 16, REFUSED_OR_CLOSED, closes=True, end=True),
        Entry(
            "TLS",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500,
            REFUSED_OR_CLOSED,
            True,
            True,
        ),
        Entry("half a head", LIVE, frozenset({400, 408, CLOSED}), closes=True, end=True),
        Entry("nothing", b"", frozenset({400, 408, CLOSED}), closes=True, end=True),
    ]


def _targets() -> list[Entry]:
    def get(target: bytes) -> bytes:
        return b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n"

    any_refusal = frozenset({301, 308, 400, 401, 404, 405, 422, CLOSED})
    return [
        Entry(
            "lower case",
            b"get /health/live HTTP/1.1\r\n" + HOST + b"\r\n",
            frozenset({400, 405, 501, CLOSED}),
        ),
        Entry(
            "unknown method", b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n", frozenset({400, 404, 405, 501, CLOSED})
        ),
        Entry("long method", b"A" * 5000 + b" / HTTP/1.1\r\n" + HOST + b"\r\n", TOO_LARGE | {404, 405, 501}),
        Entry(
            "CONNECT",
            b"CONNECT a.test:443 HTTP/1.1\r\n" + HOST + b"\r\n",
            frozenset({400, 404, 405, 501, CLOSED}),
        ),
        Entry(
            "TRACE", b"TRACE /health/live HTTP/1.1\r\n" + HOST + b"\r\n", frozenset({400, 405, 501, CLOSED})
        ),
        Entry(
            "asterisk",
            b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n",
            frozenset({200, 204, 400, 404, 405, CLOSED}),
        ),
        Entry("asterisk to GET", get(b"*"), frozenset({400, 404, 405, CLOSED})),
        Entry("absolute", get(b"http://steward.test/health/live"), frozenset({200, 400, 404})),
        Entry("absolute, elsewhere", get(b"http://other.test/health/live"), frozenset({200, 400, 404, 421})),
        Entry("absolute, another scheme", get(b"gopher://a/health/live"), frozenset({200, 400, 404, CLOSED})),
        Entry("no slash", get(b"health/live"), any_refusal),
        Entry("two slashes", get(b"//health/live"), any_refusal | {200}),
        Entry("dots", get(b"/app/static/../../../etc/passwd"), any_refusal),
        Entry("encoded dots", get(b"/app/static/%2e%2e/%2e%2e/etc/passwd"), any_refusal),
        Entry("backslashes", get(b"/app\\static\\..\\x"), any_refusal),
        Entry("encoded NUL", get(b"/health/live%00"), any_refusal),
        Entry("bad escape", get(b"/health/%zz"), any_refusal),
        Entry("overlong escape", get(b"/health/%c0%af"), any_refusal),
        Entry("bytes beyond ASCII", get(b"/health/\xff\xfe"), any_refusal),
        Entry("fragment", get(b"/health/live#x"), any_refusal | {200}),
        Entry("query of nothing but ampersands", get(b"/health/live?" + b"&" * 4000), any_refusal | {200}),
        Entry("query with bad escapes", get(b"/health/live?a=%ff&b=%"), any_refusal | {200}),
        Entry(
            "upgrade to h2c",
            LIVE + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n",
            frozenset({200, 400, 426}),
        ),
        Entry(
            "upgrade to a web socket",
            LIVE + b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            frozenset({200, 400, 426}),
        ),
        Entry("connection close", LIVE + b"Connection: close\r\n\r\n", frozenset({200}), closes=True),
    ]


HEADS = [*_heads(), *_targets()]


class Body(NamedTuple):
    """What follows `POST …/work-orders` and its credentials; BODY stands for a body that would make an order."""

    name: str
    headers: bytes
    body: bytes
    allowed: frozenset[int]
    # Whether an order may be there afterwards: None where the standards leave it open.
    makes: bool | None = False
    closes: bool = False


BODY = b'{"title":"smuggled"}'
SIZE = b"%x" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
WHOLE = SIZE + b"\r\n" + BODY + b"\r\n0\r\n\r\n"
MADE = frozenset({201})
EITHER = frozenset({201, 400, CLOSED})


def _lengths() -> list[Body]:
    bad = [b"-20", b"+20", b"0x14", b"20 20", b"20a", b"", b"2_0", b"20, 21", b"\xb2\xb0", b"20.0", b"1e2"]
    return [
        Body("length", LENGTH, BODY, MADE, makes=True),
        Body("length twice, equal", LENGTH * 2, BODY, EITHER, makes=None),
        Body(
            "length twice, different", LENGTH + b"Content-Length: 3\r\n", BODY, REFUSED_OR_CLOSED, closes=True
        ),
        Body("length as a list", b"Content-Length: 20, 20\r\n", BODY, EITHER, makes=None),
        Body(
            "length beyond measure", b"Content-Length: " + b"9" * 40 + b"\r\n", BODY, TOO_LARGE, closes=True
        ),
        Body("length over the limit", b"Content-Length: 2000000\r\n", BODY, frozenset({413})),
        Body("length too long", b"Content-Length: 100\r\n", BODY, frozenset({400, 408, CLOSED}), closes=True),
        Body("length without a body", LENGTH, b"", frozenset({400, 408, CLOSED}), closes=True),
        Body("half of the body", LENGTH, BODY[:10], frozenset({400, 408, CLOSED}), closes=True),
        Body("neither length nor chunks", b"", BODY, frozenset({400, 411, 422, CLOSED})),
        *(
            Body(
                f"length {value!r}",
                b"Content-Length: " + value + b"\r\n",
                BODY,
                REFUSED_OR_CLOSED,
                closes=True,
            )
            for value in bad
        ),
    ]


def _encodings() -> list[Body]:
    both = CHUNKED + LENGTH
    bad = [
        b"xchunked",
        b"chunked, identity",
        b"gzip",
        b"identity",
        b"chunked;q=1",
        b"\x0bchunked",
        b"[chunked]",
    ]
    refused = frozenset({400, 411, 415, 422, 501, CLOSED})
    return [
        Body("chunked", CHUNKED, WHOLE, MADE, makes=True),
        Body("chunked in capitals", b"Transfer-Encoding: CHUNKED\r\n", WHOLE, EITHER | {501}, makes=None),
        Body("chunked twice", CHUNKED * 2, WHOLE, EITHER | {501}, makes=None),
        Body("chunked and a length", both, WHOLE, EITHER, makes=None, closes=True),
        Body("a length and chunked", LENGTH + CHUNKED, WHOLE, EITHER, makes=None, closes=True),
        Body("chunked under 1.0", b"HTTP/1.0", WHOLE, EITHER | {411, 422, 501}, makes=None, closes=True),
        *(
            Body(f"encoding {value!r}", b"Transfer-Encoding: " + value + b"\r\n", WHOLE, refused, closes=True)
            for value in bad
        ),
    ]


def _chunks() -> list[Body]:
    cut = frozenset({400, 408, CLOSED})
    bad = [b"zz", b"-14", b"+14", b"0x14", b"", b"1 4", b"14 zz", b"f" * 17, b"\xb2", b"1_4", b"\x0014"]
    rest = b"\r\n" + BODY + b"\r\n0\r\n\r\n"
    return [
        Body("extension", CHUNKED, SIZE + b';a=b;c="d"' + rest, MADE, makes=True),
        Body(
            "extension without end",
            CHUNKED,
            SIZE + b";" + b"a" * 200_000 + rest,
            TOO_LARGE,
        ),
        Body("trailer", CHUNKED, WHOLE[:-2] + b"X: a\r\n\r\n", EITHER, makes=None),
        Body(
            "trailer without end",
            CHUNKED,
            WHOLE[:-2] + b"X: a\r\n" * 100_000 + b"\r\n",
            TOO_LARGE,
        ),
        Body(
            "no line after the chunk",
            CHUNKED,
            SIZE + b"\r\n" + BODY + b"0\r\n\r\n",
            REFUSED_OR_CLOSED,
            closes=True,
        ),
        Body(
            "more than it says", CHUNKED, b"2\r\n" + BODY + b"\r\n0\r\n\r\n", REFUSED_OR_CLOSED, closes=True
        ),
        Body("LF in chunks", CHUNKED, WHOLE.replace(b"\r\n", b"\n"), EITHER, makes=None),
        Body("no last chunk", CHUNKED, WHOLE[:-5], cut, closes=True),
        Body("cut in the last line", CHUNKED, WHOLE[:-2], cut, closes=True),
        Body("cut in the chunk", CHUNKED, WHOLE[:12], cut, closes=True),
        Body("cut in the size", CHUNKED, SIZE[:1], cut, closes=True),
        Body("no chunk at all", CHUNKED, b"", cut, closes=True),
        Body("very small chunks", CHUNKED, b"1\r\n \r\n" * 50_000 + WHOLE, frozenset({413}), closes=True),
        Body("many chunks", CHUNKED, (b"14\r\n" + b" " * 20 + b"\r\n") * 10_000 + WHOLE, MADE, makes=True),
        Body(
            "over the limit",
            CHUNKED,
            b"200000\r\n" + b" " * 0x200000 + b"\r\n0\r\n\r\n",
            frozenset({413, CLOSED}),
        ),
        *(Body(f"size {value!r}", CHUNKED, value + rest, REFUSED_OR_CLOSED, closes=True) for value in bad),
    ]


BODIES = [*_lengths(), *_encodings(), *_chunks()]
