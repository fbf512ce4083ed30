"""How a benchmark controls its other processes: `GET /WORD`, answered with JSON when it is done."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from bench.load import Caller


async def serve_control(port: int, act: Callable[[str], Awaitable[Any]]) -> None:
    """For as long as the process lives; the empty word only asks whether it does."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        word = head.split(b" ")[1].strip(b"/").decode()
        body = msgspec.json.encode(await act(word) if word else {})
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    await server.serve_forever()


def tell(port: int, word: object = "") -> Any:
    return msgspec.json.decode(Caller(port, {}).ask("GET", f"/{word}").body)
