"""One request and its answer, as an application sees them."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Protocol

import msgspec

from steward.kit.domain.problems import PayloadTooLarge, Problem, Unavailable
from steward.kit.http.server.answer import Headers

MAXIMUM_BODY = 1024 * 1024
# For bodies with hundreds of records, or a file of them.
LARGE_BODY = 4 * MAXIMUM_BODY


class ResponseChannel(Protocol):
    """The connection that answers the request."""

    def reserve_memory(self, size: int) -> bool:
        """Reserves memory among the bodies of all callers; it is released with the request."""

    def await_body(self, exchange: "Exchange") -> None:
        """The application wants the body now; until then little of it is read."""

    def respond(self, exchange: "Exchange", status: int, headers: Headers, body: bytes) -> None: ...

    async def stream(
        self, exchange: "Exchange", status: int, headers: Headers, chunks: AsyncGenerator[bytes]
    ) -> None: ...


class Exchange(msgspec.Struct, eq=False):
    channel: ResponseChannel
    method: str
    path: str
    query_string: str
    version: str
    headers: dict[str, str]
    peer: str
    keep_alive: bool
    # Whether the whole request has arrived, the bytes of its body, and whether the whole answer is on its way.
    complete: bool = False
    received: int = 0
    responded: bool = False
    # Whether the answer goes on until the caller hangs up.
    endless: bool = False
    _limit: int = MAXIMUM_BODY
    _parts: list[bytes] = []
    _problem: Problem | None = None
    _waiter: asyncio.Future[None] | None = None

    async def body(self, limit: int = MAXIMUM_BODY) -> bytes:
        """The whole body, once, or a Problem: a body that was cut short, too slow or too large is never
        processed.
        """
        self._limit = limit
        self._check_size()
        if not self.complete and self._problem is None:
            self._waiter = asyncio.get_running_loop().create_future()
            self.channel.await_body(self)
            await self._waiter
        if self._problem is not None:
            raise self._without(self._problem)
        parts, self._parts = self._parts, []
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def reserve_memory(self, size: int) -> None:
        """Reserves memory for the decompressed body."""
        self.received += size
        if not self.channel.reserve_memory(size):
            raise _no_room()

    def respond(self, status: int, headers: Headers, body: bytes) -> None:
        self.channel.respond(self, status, headers, body)

    async def stream(
        self, status: int, headers: Headers, chunks: AsyncGenerator[bytes], *, endless: bool = False
    ) -> None:
        """As fast as the caller reads; ends early when the caller is gone."""
        self.endless = endless
        await self.channel.stream(self, status, headers, chunks)

    # The connection calls these.

    @property
    def body_awaited(self) -> bool:
        return self._waiter is not None

    def receive(self, data: bytes) -> None:
        self.received += len(data)
        self._check_size()
        if not self.channel.reserve_memory(len(data)):
            self.fail(_no_room())
        if self._problem is None:
            self._parts.append(data)

    def end(self) -> None:
        self.complete = True
        self._wake()

    def fail(self, problem: Problem) -> None:
        """The rest of the body will never arrive."""
        if not self.complete:
            self._refuse(problem)

    def _check_size(self) -> None:
        if self.received > self._limit:
            self._refuse(body_too_large(self._limit))

    def _refuse(self, problem: Problem) -> None:
        if self._problem is None:
            self._problem = problem
            self._parts.clear()
            self._wake()

    def _without(self, problem: Problem) -> Problem:
        """An exception refers to the frames that it passed; keeping it here would make a reference cycle."""
        self._problem = None
        return problem

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def body_too_large(limit: int) -> PayloadTooLarge:
    size = f"{limit // 1024} KiB" if limit % MAXIMUM_BODY else f"{limit // MAXIMUM_BODY} MiB"
    return PayloadTooLarge(f"The request body is larger than {size}.")


def _no_room() -> Unavailable:
    return Unavailable("Too much is being sent at the moment; try again shortly.")
