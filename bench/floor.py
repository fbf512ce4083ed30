"""The floor's process: `python -m bench.floor SCENARIO DATABASE_URL TENANTS_FILE PORT`.

A bare handler behind the parser that the service uses, in one process with uvloop as the service is, and one prepared
statement on as many connections. No authentication, no limits, no deadlines, no routes, no log.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from bench.bare_http import BareConnection
from bench.databases import prepared
from bench.scenarios import COMPARISONS, Floor
from bench.tenants import Tenant
from steward.settings import Settings


class PreparedEverywhere:
    """The statement on whichever connection is free, the most recently used one first."""

    def __init__(self, statements: list[Any]) -> None:
        self._idle = asyncio.LifoQueue[Any]()
        for statement in statements:
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
    statements = [await prepared(url, floor.statement) for _ in range(Settings().pool_size)]
    handler = floor.handler(PreparedEverywhere(statements), tenants)
    server = await asyncio.get_running_loop().create_server(
        lambda: BareConnection(handler), "127.0.0.1", port, backlog=1024
    )
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])))
