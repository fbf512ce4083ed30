"""The outgoing side of a connection: it buffers at most one answer beyond what the system takes."""

import asyncio
import socket
from collections.abc import AsyncGenerator

from steward.kit.http.server import wire_format

# How much of a streamed answer is buffered, and how long it may wait for the other side to read.
_ENDLESS_BYTES = 16 * 1024
_UNACKNOWLEDGED_MS = 30_000


class WriteBuffer:
    __slots__ = ("_drained", "_transport", "_unsent")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        # Whether more is buffered than should be, and how much that was at the last check.
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
        """How much of the buffer was sent since the last check."""
        before, self._unsent = self._unsent, self._transport.get_write_buffer_size()
        return before - self._unsent

    async def send_chunks(self, chunks: AsyncGenerator[bytes], *, chunked: bool, endless: bool) -> None:
        """Yields each piece after the one before was sent; ends when the caller is gone."""
        if endless:
            self._keep_little()
        async for data in chunks:
            if self._transport.is_closing():
                return
            if data:
                self._transport.write(wire_format.chunk(data) if chunked else data)
            if self._drained is not None:
                await self._drained
        if chunked and not self._transport.is_closing():
            self._transport.write(wire_format.LAST_CHUNK)

    def _keep_little(self) -> None:
        """A slow reader gets the latest event instead of all, and a dead one is noticed."""
        self._transport.set_write_buffer_limits(high=_ENDLESS_BYTES)
        connection = self._transport.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNACKNOWLEDGED_MS)
