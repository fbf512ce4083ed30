"""The wire format: pure functions between bytes and values."""

import re
import time
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from ipaddress import IPv6Address
from urllib.parse import unquote

import httptools

from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import BadRequest, Problem
from steward.kit.http.server.answer import NO_SNIFFING, Headers, encode_problem

# Replaces a value that isn't ASCII: its header must not look absent, and equals no expected value.
UNREADABLE = "\ufffd"

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"
_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}
NO_CONTENT = frozenset({204, 304})
_LABEL = r"[A-Za-z0-9_~-]+"
# A name, an IPv4 address (which looks like one) or an IPv6 address in brackets, and a port.
_HOST = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*\.?|\[(?P<ipv6>[0-9A-Fa-f:.]+)\])(?::(?P<port>\d{{1,5}}))?")
_LAST_PORT = 65_535


@lru_cache(maxsize=1)
def _date_line(second: int) -> str:
    return f"date: {formatdate(second, usegmt=True)}\r\n"


def response_head(
    status: int, headers: Headers, *, length: int | None, chunked: bool = False, close: bool
) -> bytes:
    """A body of unknown length is sent in chunks, or ends with the connection."""
    lines = [_STATUS_LINES[status], _date_line(int(time.time()))]
    lines += [f"{name}: {value}\r\n" for name, value in headers]
    if length is not None:
        if status not in NO_CONTENT:
            lines.append(f"content-length: {length}\r\n")
    elif chunked:
        lines.append("transfer-encoding: chunked\r\n")
    if close:
        lines.append("connection: close\r\n")
    text = "".join(lines)
    if text.count("\n") != len(lines):
        raise ValueError("a header holds a line break")
    return f"{text}\r\n".encode("latin-1")


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def problem_response(found: Problem) -> bytes:
    """A whole answer to bytes that never became a request."""
    request_id = new_id("req")
    headers, body = encode_problem(found, request_id)
    headers += [("x-request-id", request_id), NO_SNIFFING]
    return response_head(found.status, headers, length=len(body), close=True) + body


def check_head(version: str, headers: dict[str, str]) -> None:
    """What the parser accepts although it has two possible readings."""
    if version not in {"1.0", "1.1"}:
        raise BadRequest("This server speaks HTTP/1.1.")
    host = headers.get("host")
    if host is None:
        if version == "1.1":
            raise BadRequest("The Host header is missing.")
    elif not _is_host(host):
        raise BadRequest("The Host header names no host, or more than one.")
    encoding = headers.get("transfer-encoding")
    if encoding is not None and (encoding.lower() != "chunked" or "content-length" in headers):
        raise BadRequest("The body's length is given in a way that can be read differently.")


def _is_host(text: str) -> bool:
    found = _HOST.fullmatch(text)
    if found is None or int(found["port"] or 0) > _LAST_PORT:
        return False
    if found["ipv6"] is None:
        return True
    try:
        IPv6Address(found["ipv6"])
    except ValueError:
        return False
    return True


def head_of_body(headers: dict[str, str]) -> bytes:
    """A head that says the same of its body as these headers, and nothing else."""
    lines = [
        f"{name}: {headers[name]}\r\n" for name in ("content-length", "transfer-encoding") if name in headers
    ]
    return f"POST / HTTP/1.1\r\n{''.join(lines)}\r\n".encode("latin-1")


def split_target(target: bytes) -> tuple[str, str]:
    """Path and query string of `/path?query`, or of the absolute form that proxies use."""
    if not target.startswith(b"/"):
        target = _without_origin(target)
    path, _, query = target.decode("ascii", "replace").partition("#")[0].partition("?")
    return unquote(path) if "%" in path else path, query


def _without_origin(target: bytes) -> bytes:
    try:
        url = httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        return b"*"
    if not url.host:
        return b"*"
    return (url.path or b"/") + (b"?" + url.query if url.query else b"")


def add_header(headers: dict[str, str], name: bytes, value: bytes) -> None:
    """Several lines of one name become one list, as proxies read them."""
    key, text = name.decode("latin-1").lower(), value.decode("latin-1")
    if not text.isascii():
        text = UNREADABLE
    before = headers.get(key)
    if before is not None:
        text = f"{before}; {text}" if key == "cookie" else f"{before}, {text}"
    headers[key] = text
