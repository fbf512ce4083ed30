"""Receivers of webhooks: one that takes everything, and one of every bad kind."""

import asyncio
import socket
import struct
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from steward.webhooks import SignatureError, verify

BAD_KINDS = ("hang", "reset", "error", "drip", "redirect", "huge", "close", "garbage", "tls")
_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
_ANSWERS = {
    "error": b"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno",
    "redirect": b"HTTP/1.1 307 There\r\nLocation: /redirect\r\nContent-Length: 0\r\n\r\n",
    "garbage": b"this is no HTTP\r\n\r\n",
    "tls": b"HTTP/1.1 400 This is no port for TLS\r\n\r\n",
}
_HELLO_OF_TLS = b"\x16"
_A_DECADE = 10 * 365 * 86400

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Receivers:
    """In this process. Bad ones are distinguished by their path, and counted."""

    def __init__(self) -> None:
        self.secret = ""
        self.arrivals: list[float] = []
        # By record and type: when its first event arrived.
        self.told: dict[tuple[str, str], float] = {}
        self._bodies: dict[str, bytes] = {}
        self.wrong: Counter[str] = Counter()
        self.bad: Counter[str] = Counter()
        self._away = False
        self._connections: dict[str, set[asyncio.StreamWriter]] = defaultdict(set)
        self._ended = asyncio.Event()

    async def start(self) -> None:
        self._good = await self._start("good", self._serve_good)
        self._bad = await self._start("bad", self._serve_bad)

    @property
    def good_url(self) -> str:
        return f"http://127.0.0.1:{_port(self._good)}/good"

    def bad_url(self, kind: str) -> str:
        return f"{'https' if kind == 'tls' else 'http'}://127.0.0.1:{_port(self._bad)}/{kind}"

    def go_away(self) -> None:
        """Connections are taken and dropped, as by a proxy that has lost its server."""
        self._away = True
        for writer in list(self._connections["good"]):
            writer.transport.abort()

    def come_back(self) -> None:
        self._away = False

    async def stop(self) -> None:
        self._ended.set()
        for server in (self._good, self._bad):
            server.close()
        for writers in self._connections.values():
            for writer in list(writers):
                writer.transport.abort()
        for server in (self._good, self._bad):
            with suppress(TimeoutError):
                await asyncio.wait_for(server.wait_closed(), 2)
        while any(self._connections.values()):
            await asyncio.sleep(0.05)

    @property
    def distinct(self) -> int:
        return len(self._bodies)

    def has(self, event: str) -> bool:
        return event in self._bodies

    async def _start(self, group: str, serve: Serve) -> asyncio.Server:
        """Connections end as their clients or the soak want; nobody else has to know."""

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._connections[group].add(writer)
            try:
                await serve(reader, writer)
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                pass
            finally:
                self._connections[group].discard(writer)
                writer.transport.abort()

        return await asyncio.start_server(connected, "127.0.0.1", 0)

    async def _serve_good(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not self._away:
            _path, headers, body = await _read_request(reader)
            if self._away:
                break
            self._take(headers, body)
            writer.write(_OK)
            await writer.drain()

    def _take(self, headers: dict[str, str], body: bytes) -> None:
        try:
            # Clocks are set on purpose here.
            event: dict[str, Any] = verify(body, headers, self.secret, tolerance=_A_DECADE)
        except SignatureError:
            self.wrong["signature"] += 1
            return
        if self._bodies.setdefault(event["id"], body) != body:
            self.wrong["bytes"] += 1
        now = time.monotonic()
        self.arrivals.append(now)
        self.told.setdefault((event["data"]["object"]["id"], event["type"]), now)

    async def _serve_bad(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readexactly(1)
        kind = "tls" if first == _HELLO_OF_TLS else (await _read_request(reader, first))[0].strip("/")
        self.bad[kind] += 1
        await self._misbehave(kind, writer)

    async def _misbehave(self, kind: str, writer: asyncio.StreamWriter) -> None:
        if kind == "hang":
            await self._ended.wait()
        elif kind in _ANSWERS:
            writer.write(_ANSWERS[kind])
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        elif kind in {"huge", "drip"}:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
            while not self._ended.is_set():
                writer.write(b"x" if kind == "drip" else b"x" * 65536)
                await writer.drain()
                await asyncio.sleep(1 if kind == "drip" else 0)
        elif kind == "reset":
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        elif kind == "close":
            writer.close()
            await writer.wait_closed()


async def _read_request(
    reader: asyncio.StreamReader, begun: bytes = b""
) -> tuple[str, dict[str, str], bytes]:
    head = begun.decode() + (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return first.split(" ")[1], headers, body


def _port(server: asyncio.Server) -> int:
    return int(server.sockets[0].getsockname()[1])
