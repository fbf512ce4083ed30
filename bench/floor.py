"""The floor's process: `python -m bench.floor SCENARIO DATABASE_URL TENANTS_FILE PORT`.

A bare handler behind the parser that the service uses, in one process with uvloop as the service is, and one prepared
statement on as many connections. No authentication, no limits, no deadlines, no routes, no log.
"""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from bench.bare_http import BareConnection
from bench.scenarios import COMPARISONS, Floor
from bench.tenants import Tenant
from steward.kit.db.connection import connect
from steward.settings import Settings


class PreparedEverywhere:
    """The statement on whichever connection is free, the most recently used one first."""

    def __init__(self, prepared: list[Any]) -> None:
        self._idle = asyncio.LifoQueue[Any]()
        for statement in prepared:
            self._idle.put_nowait(statement)

    async def fetch(self, *args: Any) -> list[Any]:
        statement = await self._idle.get()
        try:
            return await statement.fetch(*args)
        finally:
            self._idle.put_nowait(statement)

    async def fetchrow(self, *args: Any) -> Any:
        statement = await self._idle.get()
        try:
            return await statement.fetchrow(*args)
        finally:
            self._idle.put_nowait(statement)


async def _serve(name: str, url: str, tenants_file: Path, port: int) -> None:
    floor = COMPARISONS[name].floor
    assert isinstance(floor, Floor)
    tenants = msgspec.json.decode(tenants_file.read_bytes(), type=list[Tenant])
    # What is prepared and not used for a while counts as a statement that takes long.
    connections = [await connect(url, seconds=600) for _ in range(Settings().pool_size)]
    prepared = [await connection.prepare(floor.statement) for connection in connections]
    handler = floor.handler(PreparedEverywhere(prepared), tenants)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    server = await loop.create_server(lambda: BareConnection(handler), "127.0.0.1", port, backlog=1024)
    await stop.wait()
    server.close()
    for connection in connections:
        await connection.close(timeout=2)


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])))
