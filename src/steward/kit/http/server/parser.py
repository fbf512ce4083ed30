"""Turns the bytes of a connection into requests; strict where two readers might disagree."""

from typing import Protocol

import httptools

from steward.kit.domain.problems import BadRequest, HeadTooLarge, PayloadTooLarge, Problem, UriTooLong
from steward.kit.http.server import wire_format
from steward.kit.http.server.exchange import Exchange, ResponseChannel

MAXIMUM_HEAD = 32 * 1024
MAXIMUM_HEADERS = 100
# Path and query; proxies and browsers accept at most half as much.
MAXIMUM_TARGET = 16 * 1024
# Each chunk costs a call, however small it is. So chunks may add 64 KiB and a quarter of the body: 20 bytes each are enough.
_CHUNK_OVERHEAD = 64 * 1024
_SLICE = 16 * 1024
_TARGET_TOO_LONG = f"Path and query may have {MAXIMUM_TARGET} bytes."
_HEAD_TOO_LARGE = f"Path and headers may have {MAXIMUM_HEAD} bytes and {MAXIMUM_HEADERS} lines."


class Receiver(ResponseChannel, Protocol):
    """The connection that the bytes came from."""

    peer: str

    def head_received(self, exchange: Exchange) -> None: ...
    def body_received(self, exchange: Exchange, data: bytes) -> None: ...
    def message_received(self, exchange: Exchange) -> None: ...


class RequestParser:
    __slots__ = (
        "_head_size",
        "_headers",
        "_is_last",
        "_lines",
        "_parser",
        "_priming",
        "_raw_size",
        "_receiver",
        "_target",
        "_upgrade",
        "receiving",
    )

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._parser = httptools.HttpRequestParser(self)
        # The request whose body is being read.
        self.receiving: Exchange | None = None
        # The head that is being read; None between heads.
        self._headers: dict[str, str] | None = None
        self._target = b""
        self._head_size = 0
        self._lines = 0
        # The bytes so far of the head or body, as received.
        self._raw_size = 0
        # Whether the caller has announced that nothing follows; whether it has asked for another protocol;
        # whether the head that is being read is our own.
        self._is_last = False
        self._upgrade = False
        self._priming = False

    @property
    def in_head(self) -> bool:
        """Whether an incomplete head has arrived."""
        return self.receiving is None and (self._raw_size > 0 or self._headers is not None)

    def feed(self, data: bytes) -> bool:
        """Returns whether more may follow.

        Raises a Problem if the bytes aren't a request with a single reading.
        """
        # In slices, since the bytes behind a head in the same slice are not counted as its body.
        for start in range(0, len(data), _SLICE):
            if not self._feed(data[start : start + _SLICE]):
                break
        return not self._is_last

    def _feed(self, data: bytes) -> bool:
        if self._is_last:
            return False
        self._raw_size += len(data)
        if (problem := self._parse(data)) is not None and not self._is_last:
            raise problem
        if self.receiving is not None:
            if self._raw_size > _CHUNK_OVERHEAD + self.receiving.received * 5 // 4:
                raise PayloadTooLarge("The chunks of the body are too small.")
        elif self._raw_size > MAXIMUM_HEAD:
            raise HeadTooLarge(_HEAD_TOO_LARGE)
        return not self._is_last

    def _parse(self, data: bytes) -> Problem | None:
        """Returns what is wrong with these bytes."""
        rest = memoryview(data)
        while True:
            try:
                self._parser.feed_data(rest)
            except httptools.HttpParserUpgrade as upgrade:
                if self._is_last:
                    return None
                rest = rest[upgrade.args[0] :]
            except httptools.HttpParserError as error:
                found = error.__context__
                return found if isinstance(found, Problem) else BadRequest("The request is not HTTP/1.1.")
            else:
                return None
            self._ignore_upgrade()

    def _ignore_upgrade(self) -> None:
        """httptools stops at a head with `Upgrade`, since another protocol might follow.

        We support none, so a new parser continues: what follows is the body that the head announced, or the
        next request.
        """
        self._upgrade, self._priming = False, True
        self._parser = httptools.HttpRequestParser(self)
        self._parser.feed_data(wire_format.head_of_body(self.receiving.headers if self.receiving else {}))
        self._priming = False

    def end(self) -> None:
        """Nothing more will arrive."""
        if self.receiving is not None:
            self.receiving.fail(BadRequest("The body ended before it was complete; nothing was done."))
            self.receiving = None

    def close(self) -> None:
        """Breaks its reference cycles; the garbage collector would find them only much later."""
        self._parser = self._receiver = None  # type: ignore[assignment]

    # httptools calls these.

    def on_message_begin(self) -> None:
        if self._priming:
            return
        self._headers = {}
        self._target = b""
        self._head_size = 0
        self._lines = 0

    def on_url(self, target: bytes) -> None:
        if self._priming:
            return
        self._target += target
        if len(self._target) > MAXIMUM_TARGET:
            raise UriTooLong(_TARGET_TOO_LONG)

    def on_header(self, name: bytes, value: bytes) -> None:
        # Trailers behind a chunked body are dropped: they must not pass for headers.
        if self._headers is not None:
            self._head_size += len(name) + len(value)
            self._lines += 1
            wire_format.add_header(self._headers, name, value)

    def on_headers_complete(self) -> None:
        if self._priming:
            return
        headers, self._headers = self._headers or {}, None
        if self._head_size + len(self._target) > MAXIMUM_HEAD or self._lines > MAXIMUM_HEADERS:
            raise HeadTooLarge(_HEAD_TOO_LARGE)
        version = self._parser.get_http_version()
        wire_format.check_head(version, headers)
        path, query_string = wire_format.split_target(self._target)
        method = self._parser.get_method().decode("ascii")
        # No request follows the head of CONNECT in any case.
        self._is_last = method == "CONNECT"
        self._upgrade = not self._is_last and self._parser.should_upgrade()
        self._raw_size = 0
        self.receiving = Exchange(
            self._receiver,
            method=method,
            path=path,
            query_string=query_string,
            version=version,
            headers=headers,
            peer=self._receiver.peer,
            keep_alive=version == "1.1" and self._parser.should_keep_alive(),
        )
        self._receiver.head_received(self.receiving)

    def on_body(self, data: bytes) -> None:
        if self.receiving is not None:
            self._receiver.body_received(self.receiving, data)

    def on_message_complete(self) -> None:
        if self._upgrade:
            return
        exchange, self.receiving = self.receiving, None
        self._raw_size = 0
        if exchange is not None:
            self._is_last = self._is_last or not exchange.keep_alive
            exchange.end()
            self._receiver.message_received(exchange)
