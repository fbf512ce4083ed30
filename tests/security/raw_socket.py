"""Bytes over a socket, and what came back: for requests that no client library would send."""

import contextlib
import re
import socket
import time
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.support.waiting import limit

HANG_SECONDS = limit(60)
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")


class HintListener(NamedTuple):
    statuses: list[int]
    closed: bool
    raw: bytes

    @property
    def final(self) -> list[int]:
        return [status for status in self.statuses if status >= 200]


def exchange(
    base_url: str,
    *parts: bytes,
    answers: int = 1,
    end: bool = False,
    until_closed: bool = False,
    timeout: float = HANG_SECONDS,
) -> HintListener:
    """Sends the parts, each after a first sign of life where there are several; `end` then closes our side.

    Returns when so many final answers came (or, where that is asked for or announced, the other side has closed) and not
    a moment later than the time after which we speak of a hang.
    """
    address = urlsplit(base_url)
    deadline = time.monotonic() + timeout
    heard = b""
    with socket.create_connection((address.hostname, address.port), timeout=timeout) as connection:
        for number, part in enumerate(parts):
            if number:
                heard += _some(connection, deadline)
            _send(connection, part)
        if end:
            _shut(connection)
        while time.monotonic() < deadline:
            final = [status for status in _statuses(heard) if status >= 200]
            announced = b"\r\nconnection: close\r\n" in heard.lower()
            if len(final) >= answers and not until_closed and not announced:
                return HintListener(_statuses(heard), closed=False, raw=heard)
            try:
                received = _some(connection, deadline)
            except TimeoutError:
                break
            if not received:
                return HintListener(_statuses(heard), closed=True, raw=heard)
            heard += received
    return HintListener(_statuses(heard), closed=False, raw=heard)


def _statuses(raw: bytes) -> list[int]:
    return [int(status) for status in _STATUS.findall(raw)]


def _some(connection: socket.socket, deadline: float) -> bytes:
    connection.settimeout(max(0.01, deadline - time.monotonic()))
    try:
        return connection.recv(65_536)
    except ConnectionError:
        return b""


def _send(connection: socket.socket, part: bytes) -> None:
    # It may be refused before all of it was taken; what was answered can still be read.
    with contextlib.suppress(ConnectionError):
        connection.sendall(part)


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
