"""`python -m bench.quiet_caller.slow PORT COUNT`: so many connections that never say a whole request, until it is ended."""

import asyncio
import contextlib
import resource
import sys

import uvloop

_ADDRESSES = 40
_SAYINGS = (
    b"",
    b"GET /health/live HTTP/1.1\r\nHost: slow\r\n",
    b"POST /authentications/tokens HTTP/1.1\r\nHost: slow\r\nContent-Length: 1000\r\n\r\n{",
)


async def _hold(port: int, number: int) -> None:
    address = (f"127.0.2.{number % _ADDRESSES + 1}", 0)
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=address)
            writer.write(_SAYINGS[number % len(_SAYINGS)])
            while await reader.read(65_536):
                pass
            writer.close()
        await asyncio.sleep(0.1)


async def main(port: int, count: int) -> None:
    holding = []
    for number in range(count):
        holding.append(asyncio.create_task(_hold(port, number)))
        if number % 100 == 99:
            await asyncio.sleep(0.02)
    await asyncio.gather(*holding)


if __name__ == "__main__":
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
