"""`python -m bench.quiet_caller.noisy PORT FILE`: sends the request that the file describes again and again, until it is ended.

It takes little of the processor itself: what it sends is written once, and answers are read away.
"""

import asyncio
import itertools
import sys
from pathlib import Path

import msgspec
import uvloop

from bench.load import Request
from bench.quiet_caller.noise import Noise

# Beyond the limits, or more at once than a tenant's share of the connections gets through.
REFUSED_FOR_A_WHILE = {429, 503}


class Orders(Noise):
    keys: list[str] = []
    connections: int = 1


def _written(orders: Orders, key: str) -> bytes:
    return Request(orders.method, orders.path, {"X-API-Key": key, **orders.headers}, orders.body).raw()


async def _answered(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    body = b""
    if b"content-length" in fields:
        body = await reader.readexactly(int(fields[b"content-length"]))
    else:
        while size := int(await reader.readline(), 16):
            await reader.readexactly(size + 2)
        await reader.readline()
    return int(head.split(b" ", 2)[1]), body


async def _repeat(port: int, orders: Orders, requests: "itertools.cycle[bytes]") -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
    while True:
        writer.write(next(requests))
        status, body = await _answered(reader)
        if status not in {*REFUSED_FOR_A_WHILE, *orders.statuses}:
            sys.exit(f"{orders.method} {orders.path} answered {status}: {body[:300]!r}")
        if status in REFUSED_FOR_A_WHILE:
            await asyncio.sleep(0.2)


async def main(port: int, orders: Orders) -> None:
    requests = itertools.cycle([_written(orders, key) for key in orders.keys])
    await asyncio.gather(*(_repeat(port, orders, requests) for _ in range(orders.connections)))


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), msgspec.json.decode(Path(sys.argv[2]).read_bytes(), type=Orders)))
