"""How a benchmark controls its other processes: `GET /WORD`, answered with JSON when it is done."""

import asyncio
import http.client
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec


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


def tell(port: int, word: object = "", timeout: float = 300) -> Any:
    """Raises ConnectionRefusedError while nothing listens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", f"/{word}")
        return msgspec.json.decode(connection.getresponse().read())
    finally:
        connection.close()


def sample(done: int, took: float, latencies: Sequence[float]) -> dict[str, int]:
    """What a floor has done, in the form of `load.Sample`."""
    ordered = sorted(latencies)
    shares = {
        name: int(ordered[int(len(ordered) * share)] * 1e6)
        for name, share in {"p50": 0.5, "p95": 0.95, "p99": 0.99}.items()
    }
    return {"requests": done, "microseconds": int(took * 1e6), "refused": 0, "broken": 0, **shares}
