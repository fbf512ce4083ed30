"""`python -m bench.delivery.receiver PORT`: answers every POST at once, and remembers when each event came.

GET /count returns how many came; GET /arrivals what and when since the last time.
"""

import asyncio
import re
import sys
import time
from typing import Any

import msgspec
import uvloop

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_EVENT = re.compile(rb"webhook-id: *(\S+)", re.IGNORECASE)
_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

_arrivals: list[tuple[str, float]] = []


class Protocol(asyncio.Protocol):
    count = 0

    def __init__(self) -> None:
        self._buffer = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while True:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self._buffer[:end]
            length = _LENGTH.search(head)
            total = end + 4 + (int(length[1]) if length else 0)
            if len(self._buffer) < total:
                return
            self._buffer = self._buffer[total:]
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        method, path, _ = head.split(b" ", 2)
        if method == b"GET":
            self._tell(path)
            return
        Protocol.count += 1
        if event := _EVENT.search(head):
            _arrivals.append((event[1].decode(), time.time()))
        self._transport.write(_OK)

    def _tell(self, path: bytes) -> None:
        if path == b"/arrivals":
            body = msgspec.json.encode(_arrivals)
            _arrivals.clear()
        else:
            body = b"%d" % Protocol.count
        self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Protocol, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
