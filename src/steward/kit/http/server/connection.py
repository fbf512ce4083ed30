"""One connection: requests in, answers out, in the order in which they came."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import cast

from steward.kit.domain.problems import BadRequest, Problem, RequestTimeout, Unavailable
from steward.kit.http.response import Headers
from steward.kit.http.server import wire
from steward.kit.http.server.connections import Connections
from steward.kit.http.server.exchange import Exchange
from steward.kit.http.server.outgoing import Outgoing
from steward.kit.http.server.parser import RequestParser
from steward.kit.runtime.log import log
from steward.kit.runtime.metrics import CONNECTIONS_CLOSED

App = Callable[[Exchange], Awaitable[None]]

# How much of a body is taken before anybody has asked for it.
_UNASKED_BODY = 64 * 1024
_NEVER = float("inf")
_TOO_SLOW = "The request came too slowly; nothing was done."


class HttpConnection(asyncio.Protocol):
    def __init__(self, app: App, connections: Connections, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._connections = connections
        self._config = connections.config
        self._loop = loop
        self._parser: RequestParser | None = None
        self.peer = ""
        # When the caller has to have done what it is to do next.
        self.deadline = _NEVER
        # The request that is being answered, and those that came behind it.
        self._current: Exchange | None = None
        self._queue: list[Exchange] = []
        self._task: asyncio.Task[None] | None = None
        # When the last head was complete.
        self._started = 0.0
        self._reading = True
        # Nothing more is read; what is still to be said before the connection ends; whether it has.
        self._closing, self._lost = False, False
        self._refusal: Problem | None = None

    # The transport calls these.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._outgoing = Outgoing(self._transport)
        peer = transport.get_extra_info("peername")
        self.peer = peer[0] if peer else ""
        if (problem := self._connections.admit(self)) is None:
            self.deadline = self._loop.time() + self._config.head_seconds
            return
        self._closing = True
        self._transport.write(wire.refusal(problem))
        self._transport.close()

    def data_received(self, data: bytes) -> None:
        if self._closing:
            return
        parser = self._parser
        if parser is None:
            parser = self._parser = RequestParser(self)
        elif self._current is None and not parser.in_head:
            # The first bytes of a head start its clock; further ones don't.
            self.deadline = self._loop.time() + self._config.head_seconds
        try:
            if not parser.feed(data):
                self._closing = True
        except Problem as problem:
            self._refuse(problem)

    def eof_received(self) -> bool:
        """The sender has said all; it may still listen."""
        if self._current is None and not self._queue:
            return False
        self._closing = True
        self.deadline = _NEVER
        self._give_up_body()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio hands it over)
        self._lost = True
        self._connections.leave(self)
        self._give_up_body()
        self._drop_queue()
        self.resume_writing()

    def pause_writing(self) -> None:
        self._outgoing.pause()
        self.deadline = self._loop.time() + self._config.stall_seconds

    def resume_writing(self) -> None:
        self._outgoing.resume()
        if self._current is not None:
            self.deadline = self._body_deadline(self._current)
        elif not self._lost:
            self._go_on()

    # The parser calls these.

    def head_received(self, exchange: Exchange) -> None:
        self._started = self._loop.time()
        if self._current is None and not self._outgoing.full:
            self._start(exchange)
        else:
            self._queue.append(exchange)
            self._pause_reading()

    def part_received(self, exchange: Exchange, data: bytes) -> None:
        exchange.receive(data)
        if not self._connections.take_memory(len(data)):
            exchange.fail(Unavailable("Too much is being sent at the moment; try again shortly."))
        if exchange.received > _UNASKED_BODY and not exchange.wanted:
            self._pause_reading()

    def all_received(self, exchange: Exchange) -> None:
        if exchange is self._current:
            self._connections.work(self)
            if not self._outgoing.full:
                self.deadline = _NEVER

    # The exchange calls these.

    def want_body(self, exchange: Exchange) -> None:
        if not self._lost and self._parser is not None and exchange is self._parser.receiving:
            if exchange.headers.get("expect", "").lower() == "100-continue" and not exchange.received:
                self._transport.write(wire.CONTINUE)
            self._resume_reading()

    def respond(self, exchange: Exchange, status: int, headers: Headers, body: bytes) -> None:
        close = self._is_last(exchange)
        if not self._lost:
            head = wire.answer_head(status, headers, length=len(body), close=close)
            bare = exchange.method == "HEAD" or status in wire.NO_CONTENT
            self._transport.write(head if bare else head + body)
        exchange.answered = True

    async def stream(
        self, exchange: Exchange, status: int, headers: Headers, chunks: AsyncGenerator[bytes]
    ) -> None:
        chunked = exchange.version == "1.1"
        close = self._is_last(exchange)
        if not self._lost:
            head = wire.answer_head(status, headers, length=None, chunked=chunked, close=close)
            self._transport.write(head)
        async with aclosing(chunks):
            if exchange.method != "HEAD":
                await self._outgoing.send_chunks(chunks, chunked=chunked)
        exchange.answered = True

    # All connections together call these.

    def expire(self, now: float) -> None:
        receiving = self._receiving
        if self._outgoing.full or self._transport.is_closing():
            self._expire_unread(now)
        elif receiving is not None and not self._closing:
            self.deadline = self._body_deadline(receiving)
            if self.deadline < now:
                CONNECTIONS_CLOSED.labels("slow body").inc()
                receiving.fail(RequestTimeout(_TOO_SLOW))
                self.deadline = _NEVER
        elif self._parser is not None and self._parser.in_head and not self._closing:
            CONNECTIONS_CLOSED.labels("slow head").inc()
            self._refuse(RequestTimeout(_TOO_SLOW))
        else:
            CONNECTIONS_CLOSED.labels("idle").inc()
            self.close()

    def close(self) -> None:
        """Once what is still to be said has been said."""
        self._closing = True
        if self._current is None:
            self._transport.close()

    def abort(self) -> None:
        self._closing = True
        self._transport.abort()

    # What follows from these.

    @property
    def _receiving(self) -> Exchange | None:
        return None if self._parser is None else self._parser.receiving

    def _start(self, exchange: Exchange) -> None:
        self._current = exchange
        self.deadline = self._body_deadline(exchange)
        if exchange.complete:
            self._connections.work(self)
        self._connections.begin()
        self._task = self._loop.create_task(self._run(exchange))

    async def _run(self, exchange: Exchange) -> None:
        try:
            await self._app(exchange)
        except Exception as error:  # noqa: BLE001 (whatever it is, others go on)
            log.error("request failed", exc_info=error)
        finally:
            self._finish(exchange)

    def _finish(self, exchange: Exchange) -> None:
        self._connections.finish()
        self._connections.give_memory(exchange.received)
        self._current = None
        if self._lost:
            return
        if not exchange.answered:
            self.abort()  # half an answer must not pass for a whole one
        else:
            if not exchange.keep_alive:
                self._closing = True
                self._drop_queue()
            self._go_on()

    def _go_on(self) -> None:
        """With the next request that is here already, once the last answer is under way; or with waiting for one."""
        if self._current is not None or self._outgoing.full:
            return
        if self._queue:
            self._start(self._queue.pop(0))
        elif self._closing:
            self._end()
        else:
            in_head = self._parser is not None and self._parser.in_head
            seconds = self._config.head_seconds if in_head else self._config.idle_seconds
            self.deadline = self._loop.time() + seconds
            self._connections.wait(self)
            self._resume_reading()

    def _is_last(self, exchange: Exchange) -> bool:
        """Whether the answer to this one ends the connection."""
        last = self._closing and not self._queue and self._refusal is None
        if last or not exchange.complete or self._connections.draining:
            exchange.keep_alive = False
        return not exchange.keep_alive

    def _refuse(self, problem: Problem) -> None:
        """What came before this is still answered; nothing after it is read."""
        self._closing = True
        if self._receiving is not None:
            self._receiving.fail(problem)
        else:
            self._refusal = problem
        self._go_on()

    def _end(self) -> None:
        """A sender that is cut off while it sends would not read what it was told."""
        sending = self._receiving is not None or self._refusal is not None
        if self._refusal is not None:
            self._transport.write(wire.refusal(self._refusal))
            self._refusal = None
        if sending and not self._transport.is_closing():
            self._resume_reading()
            self._transport.write_eof()
            self.deadline = self._loop.time() + self._config.linger_seconds
        else:
            self._transport.close()
            self._outgoing.look()
            self.deadline = self._loop.time() + self._config.stall_seconds

    def _give_up_body(self) -> None:
        if self._parser is not None and self._parser.receiving is not None:
            self._parser.receiving.fail(
                BadRequest("The body ended before it was complete; nothing was done.")
            )
            self._parser.receiving = None

    def _drop_queue(self) -> None:
        for exchange in self._queue:
            self._connections.give_memory(exchange.received)
        self._queue.clear()

    def _body_deadline(self, exchange: Exchange) -> float:
        if exchange.complete:
            return _NEVER
        return (
            self._started + self._config.body_seconds + exchange.received / self._config.body_bytes_per_second
        )

    def _expire_unread(self, now: float) -> None:
        self.deadline = now + self._config.stall_seconds
        if not self._outgoing.is_read(self._config):
            CONNECTIONS_CLOSED.labels("stalled").inc()
            self.abort()

    def _pause_reading(self) -> None:
        if self._reading and not self._transport.is_closing():
            self._reading = False
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        if not self._reading and not self._transport.is_closing():
            self._reading = True
            self._transport.resume_reading()
