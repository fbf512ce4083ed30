"""One connection: requests in, answers out, in the order of arrival."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import cast

from steward.kit.domain.problems import Problem, RequestTimeout, TooManyRequests
from steward.kit.http.server import wire_format
from steward.kit.http.server.answer import Headers
from steward.kit.http.server.connections import Connections
from steward.kit.http.server.exchange import Exchange
from steward.kit.http.server.parser import RequestParser
from steward.kit.http.server.write_buffer import WriteBuffer
from steward.kit.runtime.log import log
from steward.kit.runtime.metrics import CONNECTIONS_CLOSED

App = Callable[[Exchange], Awaitable[None]]

# How much of a body is read before the application asks for it.
_UNREQUESTED_BODY = 64 * 1024
_NEVER = float("inf")
_TOO_SLOW = "The request came too slowly; nothing was done."


class HttpConnection(asyncio.Protocol):
    def __init__(self, app: App, connections: Connections, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._connections = connections
        self._config = connections.config
        self.reserve_memory = connections.reserve_memory
        self._loop = loop
        self._parser: RequestParser | None = None
        self.peer = ""
        # The deadline of the caller's next step.
        self.deadline = _NEVER
        # The request in progress, and the pipelined ones behind it.
        self._current: Exchange | None = None
        self._queue: list[Exchange] = []
        self._task: asyncio.Task[None] | None = None
        # When the last head was complete.
        self._head_at = 0.0
        self._reading = True
        # Reading has ended; bytes are still to be sent before closing; the connection is closed.
        self._closing, self._lost = False, False
        self._problem: Problem | None = None

    # The transport calls these.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._write_buffer = WriteBuffer(self._transport)
        peer = transport.get_extra_info("peername")
        self.peer = peer[0] if peer else ""
        if (problem := self._connections.admit(self)) is None:
            self.deadline = self._loop.time() + self._config.head_seconds
            return
        self._closing = True
        self._transport.write(wire_format.problem_response(problem))
        self._transport.close()

    def data_received(self, data: bytes) -> None:
        if self._closing:
            return
        parser = self._parser
        if parser is None:
            parser = self._parser = RequestParser(self)
        elif self._current is None and not parser.in_head:
            # The first bytes of a head start its deadline; later ones don't move it.
            self.deadline = self._loop.time() + self._config.head_seconds
        try:
            if not parser.feed(data):
                self._closing = True
        except Problem as problem:
            # Its traceback refers to this frame: that would be a reference cycle.
            self._refuse(problem.without_frames())

    def eof_received(self) -> bool:
        """The caller has sent everything; it may still read."""
        if self._current.endless if self._current is not None else not self._queue:
            return False
        self._closing = True
        # An answer that the caller doesn't read keeps its deadline.
        if not self._write_buffer.full:
            self.deadline = _NEVER
        if self._parser is not None:
            self._parser.end()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio hands it over)
        self._lost = True
        self._connections.remove(self)
        if self._parser is not None:
            self._parser.end()
            self._parser.close()
        self._drop_queue()
        if self._task is not None and self._current is not None and self._current.endless:
            self._task.cancel()
        self.resume_writing()

    def pause_writing(self) -> None:
        self._write_buffer.pause()
        self.deadline = self._loop.time() + self._config.stall_seconds

    def resume_writing(self) -> None:
        self._write_buffer.resume()
        if self._current is not None:
            self.deadline = self._body_deadline(self._current)
        elif not self._lost:
            self._next_request()

    # The parser calls these.

    def head_received(self, exchange: Exchange) -> None:
        self._head_at = self._loop.time()
        if self._current is None and not self._write_buffer.full:
            self._start(exchange)
        elif len(self._queue) < self._config.pipelined:
            self._queue.append(exchange)
            self._pause_reading()
        else:
            raise TooManyRequests("too many requests are waiting on this connection.", retry_after=1)

    def body_received(self, exchange: Exchange, data: bytes) -> None:
        exchange.receive(data)
        if exchange.received > _UNREQUESTED_BODY and not exchange.body_awaited:
            self._pause_reading()

    def message_received(self, exchange: Exchange) -> None:
        if exchange is self._current:
            self._connections.mark_active(self)
            if not self._write_buffer.full:
                self.deadline = _NEVER

    # The exchange calls these.

    def await_body(self, exchange: Exchange) -> None:
        if not self._lost and self._parser is not None and exchange is self._parser.receiving:
            if exchange.headers.get("expect", "").lower() == "100-continue" and not exchange.received:
                self._transport.write(wire_format.CONTINUE)
            self._resume_reading()

    def respond(self, exchange: Exchange, status: int, headers: Headers, body: bytes) -> None:
        close = self._ends_connection(exchange)
        if not self._lost:
            head = wire_format.response_head(status, headers, length=len(body), close=close)
            bare = exchange.method == "HEAD" or status in wire_format.NO_CONTENT
            self._transport.write(head if bare else head + body)
        exchange.responded = True

    async def stream(
        self, exchange: Exchange, status: int, headers: Headers, chunks: AsyncGenerator[bytes]
    ) -> None:
        chunked = exchange.version == "1.1"
        close = self._ends_connection(exchange)
        if not self._lost:
            head = wire_format.response_head(status, headers, length=None, chunked=chunked, close=close)
            self._transport.write(head)
        async with aclosing(chunks):
            if exchange.method != "HEAD":
                await self._write_buffer.send_chunks(chunks, chunked=chunked, endless=exchange.endless)
        exchange.responded = True
        if self._connections.draining:
            exchange.keep_alive = False

    # The set of connections calls these.

    def expire(self, now: float) -> None:
        receiving = self._receiving
        if self._write_buffer.full or self._transport.is_closing():
            self._expire_stalled(now)
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
        """Closes after the remaining bytes are sent."""
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
            self._connections.mark_active(self)
        self._connections.request_started()
        self._task = self._loop.create_task(self._run(exchange))

    async def _run(self, exchange: Exchange) -> None:
        try:
            await self._app(exchange)
        except Exception as error:  # noqa: BLE001 (whatever it is, others go on)
            log.error("request failed", exc_info=error)
        finally:
            self._finish(exchange)

    def _finish(self, exchange: Exchange) -> None:
        self._connections.request_finished()
        self._connections.release_memory(exchange.received)
        self._current = None
        if self._lost:
            return
        if not exchange.responded:
            self.abort()  # a truncated answer must not look complete
        else:
            if not exchange.keep_alive:
                self._closing = True
                self._drop_queue()
            self._next_request()

    def _next_request(self) -> None:
        """Continues with the next pipelined request once the last answer is on its way, or waits for one."""
        if self._current is not None or self._write_buffer.full:
            return
        if self._queue:
            self._start(self._queue.pop(0))
        elif self._closing:
            self._end_connection()
        else:
            in_head = self._parser is not None and self._parser.in_head
            seconds = self._config.head_seconds if in_head else self._config.idle_seconds
            self.deadline = self._loop.time() + seconds
            self._connections.mark_waiting(self)
            self._resume_reading()

    def _ends_connection(self, exchange: Exchange) -> bool:
        """Whether the answer to this request ends the connection."""
        last = self._closing and not self._queue and self._problem is None
        if last or not exchange.complete or self._connections.draining:
            exchange.keep_alive = False
        return not exchange.keep_alive

    def _refuse(self, problem: Problem) -> None:
        """Earlier requests still get their answers; nothing later is read."""
        self._closing = True
        if self._receiving is not None:
            self._receiving.fail(problem)
        else:
            self._problem = problem
        self._next_request()

    def _end_connection(self) -> None:
        """A caller whose connection is reset while it sends would not read its answer."""
        sending = self._receiving is not None or self._problem is not None
        if self._problem is not None:
            self._transport.write(wire_format.problem_response(self._problem))
            self._problem = None
        if sending and not self._transport.is_closing():
            self._resume_reading()
            self._transport.write_eof()
            self.deadline = self._loop.time() + self._config.linger_seconds
        else:
            self._transport.close()
            self._write_buffer.measure()
            self.deadline = self._loop.time() + self._config.stall_seconds

    def _drop_queue(self) -> None:
        for exchange in self._queue:
            self._connections.release_memory(exchange.received)
        self._queue.clear()

    def _body_deadline(self, exchange: Exchange) -> float:
        return _NEVER if exchange.complete else self._head_at + self._config.body_time(exchange.received)

    def _expire_stalled(self, now: float) -> None:
        self.deadline = now + self._config.stall_seconds
        if self._write_buffer.measure() < self._config.stall_bytes:
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
