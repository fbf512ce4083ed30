"""Looks at the service all the while: whether it says that it is ready, and how much memory it takes."""

import asyncio
import time
from collections import Counter

import msgspec

from soak.deployment import Up

_EVERY_SECONDS = 0.2
# `/health/ready` is to answer within two seconds; on a busy machine we wait for more before we call it silent.
SILENT_SECONDS = 8.0
_ADDRESS = "127.0.0.3"
_REQUEST = b"GET /health/ready HTTP/1.1\r\nHost: steward\r\nConnection: close\r\n\r\n"


class Look(msgspec.Struct, frozen=True, order=True):
    at: float
    seen: str


class Watch:
    """Asks at a steady pace, whether or not earlier questions were answered."""

    def __init__(self, up: Up) -> None:
        self._up = up
        self.looks: list[Look] = []
        self.memory: Counter[str] = Counter()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._weigh())
            while True:
                group.create_task(self._look())
                await asyncio.sleep(_EVERY_SECONDS)

    async def _look(self) -> None:
        at = time.monotonic()
        try:
            seen = await asyncio.wait_for(self._ask(), SILENT_SECONDS)
        except TimeoutError:
            seen = "silent"
        except OSError:
            seen = "closed"
        self.looks.append(Look(at, seen))

    async def _ask(self) -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._up.port, local_addr=(_ADDRESS, 0))
        try:
            writer.write(_REQUEST)
            first = await reader.readline()
        finally:
            writer.transport.abort()
        if not first:
            return "closed"
        return "ready" if b" 200 " in first else "unready"

    async def _weigh(self) -> None:
        while True:
            for role, mebibytes in (await asyncio.to_thread(self._up.memory)).items():
                self.memory[role] = max(self.memory[role], mebibytes)
            await asyncio.sleep(2)
