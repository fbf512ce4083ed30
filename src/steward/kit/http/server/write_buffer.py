"""The way out of a connection: no more waits in memory than one answer and what the system takes."""

import asyncio
from collections.abc import AsyncGenerator

from steward.kit.http.server import wire_format
from steward.kit.http.server.config import ServerConfig


class WriteBuffer:
    __slots__ = ("_drained", "_transport", "_unsent")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        # While more waits to be sent than should, and how much that was at the last look.
        self._drained: asyncio.Future[None] | None = None
        self._unsent = 0

    @property
    def full(self) -> bool:
        return self._drained is not None

    def pause(self) -> None:
        self._drained = asyncio.get_running_loop().create_future()
        self.measure()

    def resume(self) -> None:
        drained, self._drained = self._drained, None
        if drained is not None and not drained.done():
            drained.set_result(None)

    def measure(self) -> int:
        """How much of what waited at the last look has been taken since."""
        before, self._unsent = self._unsent, self._transport.get_write_buffer_size()
        return before - self._unsent

    def is_progressing(self, config: ServerConfig) -> bool:
        return self.measure() >= config.stall_bytes

    async def send_chunks(self, chunks: AsyncGenerator[bytes], *, chunked: bool) -> None:
        """Each once the one before has been taken; none once nobody takes them."""
        async for data in chunks:
            if self._transport.is_closing():
                return
            if data:
                self._transport.write(wire_format.chunk(data) if chunked else data)
            if self._drained is not None:
                await self._drained
        if chunked and not self._transport.is_closing():
            self._transport.write(wire_format.LAST_CHUNK)
